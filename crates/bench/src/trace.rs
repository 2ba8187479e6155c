//! Tables with commas, as the traces come.

use std::fs;
use std::io;
use std::path::Path;
use std::str::FromStr;

/// The lines of a table below its heading.
pub fn rows(file: &Path) -> io::Result<Vec<String>> {
    let text = fs::read_to_string(file)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", file.display())))?;
    Ok(text.lines().skip(1).filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

/// The first columns of a row.
pub fn columns<const N: usize>(row: &str) -> io::Result<[&str; N]> {
    let first: Vec<&str> = row.split(',').take(N).collect();
    first.try_into().map_err(|_| invalid(format!("{row:?} has fewer than {N} columns")))
}

pub fn number<T: FromStr>(text: &str) -> io::Result<T> {
    text.parse().map_err(|_| invalid(format!("{text:?} is no number")))
}

/// Seconds since 1970 of a date such as `2017-10-09 07:01:55`.
pub fn seconds(text: &str) -> io::Result<u64> {
    let parts: Vec<u64> = text.split(['-', ' ', ':']).map(number).collect::<io::Result<_>>()?;
    let [year, month, day, hour, minute, second] = parts[..] else {
        return Err(invalid(format!("{text:?} is no date")));
    };
    // Years begin in March, so that the leap day comes last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719_468;
    Ok(((days * 24 + hour) * 60 + minute) * 60 + second)
}

fn invalid(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_counted_from_1970() {
        assert_eq!(seconds("1970-01-01 00:00:00").unwrap(), 0);
        assert_eq!(seconds("2000-03-01 00:00:01").unwrap(), 951_868_801);
        assert_eq!(seconds("2017-10-09 07:01:55").unwrap(), 1_507_532_515);
        assert!(seconds("2017-10-09").is_err());
    }
}
