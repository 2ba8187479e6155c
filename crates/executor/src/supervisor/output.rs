//! A file that does not grow for ever.

use super::order::LogFile;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Where the output of a replica goes. Output that cannot be written is lost, and that is told: a program never
/// waits for a disk that is full.
#[derive(Debug)]
pub(super) struct Output {
    file: LogFile,
    open: Option<(File, u64)>,
    /// Bytes that could not be written.
    lost: u64,
}

impl Output {
    pub(super) fn new(file: LogFile) -> Output {
        Output { file, open: None, lost: 0 }
    }

    /// Says how much was lost, if anything was. How much nobody could be told of.
    pub(super) fn tell_losses(&mut self) -> u64 {
        if self.lost > 0 {
            let note = format!("\n[tidegate: {} bytes of output were lost]\n", self.lost);
            match self.try_write(note.as_bytes()) {
                Ok(()) => self.lost = 0,
                Err(_) => self.open = None,
            }
        }
        self.lost
    }

    pub(super) fn write(&mut self, bytes: &[u8]) {
        self.tell_losses();
        if self.try_write(bytes).is_err() {
            self.lost += bytes.len() as u64;
            self.open = None;
        }
    }

    fn try_write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.open.is_none() {
            self.open = Some(append_to(&self.file.path)?);
        }
        let is_full = |size: u64| size > 0 && size + bytes.len() as u64 > self.file.limit;
        if self.open.as_ref().is_some_and(|(_, size)| is_full(*size)) {
            self.put_aside()?;
            self.open = Some(append_to(&self.file.path)?);
        }
        let Some((file, size)) = &mut self.open else { return Ok(()) };
        file.write_all(bytes)?;
        *size += bytes.len() as u64;
        Ok(())
    }

    /// Each file takes the place of the one before it; the last is dropped.
    fn put_aside(&mut self) -> io::Result<()> {
        self.open = None;
        for number in (1..self.file.keep).rev() {
            let from = aside(&self.file.path, number);
            if from.exists() {
                fs::rename(from, aside(&self.file.path, number + 1))?;
            }
        }
        match self.file.keep {
            0 => fs::remove_file(&self.file.path),
            _ => fs::rename(&self.file.path, aside(&self.file.path, 1)),
        }
    }
}

/// The name of a log file that was put aside; 1 is the latest.
pub fn aside(log: &Path, number: u32) -> PathBuf {
    let mut name = log.as_os_str().to_owned();
    name.push(format!(".{number}"));
    name.into()
}

/// Its directory may have been removed by somebody who made room.
fn append_to(path: &Path) -> io::Result<(File, u64)> {
    let open = || OpenOptions::new().create(true).append(true).mode(0o600).open(path);
    let file = match (open(), path.parent()) {
        (Err(error), Some(directory)) if error.kind() == io::ErrorKind::NotFound => {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
            open()?
        }
        (opened, _) => opened?,
    };
    let size = file.metadata()?.len();
    Ok((file, size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_output_makes_room() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("0.log");
        let mut output = Output::new(LogFile { path: path.clone(), limit: 10, keep: 2 });
        for line in ["first\n", "second\n", "third\n", "fourth\n"] {
            output.write(line.as_bytes());
        }
        let read = |path: &Path| fs::read_to_string(path).unwrap();
        assert_eq!(read(&path), "fourth\n");
        assert_eq!(read(&aside(&path, 1)), "third\n");
        assert_eq!(read(&aside(&path, 2)), "second\n");
        assert!(!aside(&path, 3).exists());
    }

    #[test]
    fn lost_output_is_told() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("logs").join("0.log");
        // A file where a directory should be: nothing can be written.
        fs::write(directory.path().join("logs"), "").unwrap();
        let mut output = Output::new(LogFile { path: path.clone(), limit: 1_000, keep: 2 });
        output.write(b"12345");
        assert_eq!(output.tell_losses(), 5);
        fs::remove_file(directory.path().join("logs")).unwrap();
        output.write(b"after\n");
        assert_eq!(output.tell_losses(), 0);
        assert_eq!(fs::read_to_string(&path).unwrap(), "\n[tidegate: 5 bytes of output were lost]\nafter\n");
    }
}
