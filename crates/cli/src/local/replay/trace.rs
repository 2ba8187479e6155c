//! A trace: one job on each line, in columns that the first line names.

use crate::exit::{Failure, Outcome};
use std::path::Path;
use tidegate_engine::words::{Module, Priority};

/// Jobs of one trace: beyond this a replay takes hours.
const MAX_JOBS: usize = 5_000_000;

/// One line of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Job {
    /// Counted from 1, the heading included.
    pub(super) line: usize,
    /// Milliseconds, from the first of all.
    pub(super) submit: u64,
    /// Milliseconds.
    pub(super) duration: u64,
    pub(super) replicas: u32,
    /// Thousandths, of each replica.
    pub(super) gpus: u32,
    pub(super) quota: Box<str>,
    pub(super) module: Module,
    pub(super) priority: Priority,
}

const COLUMNS: [&str; 7] = ["submit", "duration", "replicas", "gpus", "quota", "module", "priority"];
/// Columns that may be missing.
const OPTIONAL: [&str; 2] = ["module", "priority"];

/// Jobs in the order of their submission, the first at zero.
pub(super) fn read(file: &Path) -> Outcome<Vec<Job>> {
    let failed = |error: std::io::Error| {
        let exit = match error.kind() {
            std::io::ErrorKind::NotFound => crate::exit::Exit::NotFound,
            _ => crate::exit::Exit::Failure,
        };
        Failure::new(exit, format!("cannot read {}: {error}", file.display()))
            .hint("name a CSV file, or - for standard input")
    };
    let text = if file == Path::new("-") {
        std::io::read_to_string(std::io::stdin()).map_err(failed)?
    } else {
        std::fs::read_to_string(file).map_err(failed)?
    };
    parse(&text).map_err(|why| {
        Failure::usage(format!("{}: {why}", file.display()))
            .hint("the columns are submit, duration, replicas, gpus, quota, module and priority")
    })
}

fn parse(text: &str) -> Result<Vec<Job>, String> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let (_, heading) = lines.next().ok_or("the file is empty")?;
    let names: Vec<&str> = heading.split(',').map(|name| name.trim().trim_matches('"')).collect();
    let place = |name: &str| names.iter().position(|n| n.eq_ignore_ascii_case(name));
    let places = COLUMNS.map(place);
    let missing = COLUMNS.iter().zip(places).find(|(name, at)| at.is_none() && !OPTIONAL.contains(name));
    if let Some((name, _)) = missing {
        return Err(format!("line 1: there is no column {name}"));
    }
    let mut jobs = Vec::new();
    for (index, line) in lines {
        let cells: Vec<&str> = line.split(',').map(|cell| cell.trim().trim_matches('"')).collect();
        let cell = |column: usize| places[column].map(|at| cells.get(at).copied().unwrap_or(""));
        jobs.push(job(index + 1, cell).map_err(|why| format!("line {}: {why}", index + 1))?);
        if jobs.len() > MAX_JOBS {
            return Err(format!("more than {MAX_JOBS} jobs"));
        }
    }
    let first = jobs.iter().map(|job| job.submit).min().ok_or("there are no jobs in it")?;
    jobs.iter_mut().for_each(|job| job.submit -= first);
    jobs.sort_by_key(|job| (job.submit, job.line));
    Ok(jobs)
}

fn job<'a>(line: usize, cell: impl Fn(usize) -> Option<&'a str>) -> Result<Job, String> {
    let text = |column: usize| cell(column).unwrap_or("");
    let replicas = text(2).parse().ok().filter(|count| *count > 0);
    let gpus: tidegate_api::decimal::Gpus = text(3).parse()?;
    let module = match cell(5) {
        None | Some("") => Module::Training,
        Some(word) => Module::parse(word).ok_or_else(|| format!("{word:?} is no module"))?,
    };
    let priority = match cell(6) {
        None | Some("") => Priority::DEFAULT,
        Some(number) => number
            .parse()
            .ok()
            .and_then(Priority::new)
            .ok_or_else(|| format!("priority {number:?} is not between 1 and 9"))?,
    };
    let quota: tidegate_api::name::Name = text(4).parse()?;
    Ok(Job {
        line,
        submit: time(text(0))?,
        duration: time(text(1))?,
        replicas: replicas.ok_or_else(|| format!("{:?} is no number of replicas", text(2)))?,
        gpus: u32::try_from(gpus.milli()).map_err(|_| format!("{gpus} GPUs are too many"))?,
        quota: quota.as_str().into(),
        module,
        priority,
    })
}

/// Seconds, with or without a fraction, or a duration with its units.
fn time(text: &str) -> Result<u64, String> {
    if let Ok(seconds) = text.parse::<f64>() {
        let ms = seconds * 1_000.0;
        // A hundred thousand years: nobody's trace, and far from overflow.
        return if (0.0..3.2e15).contains(&ms) {
            Ok(ms.round() as u64)
        } else {
            Err(format!("{text:?} is no time"))
        };
    }
    text.parse::<tidegate_api::duration::Duration>().map(|duration| duration.span().0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_read_by_the_names_of_their_columns() {
        let text =
            "quota,submit,duration,replicas,gpus,module,priority\nB,90,1h,2,8,DLC,7\nA, 60 ,0.5,1,0.5,,\n";
        let jobs = parse(text).expect("a trace");
        assert_eq!((jobs[0].line, jobs[0].submit, jobs[0].duration, jobs[0].gpus), (3, 0, 500, 500));
        assert_eq!((jobs[1].submit, jobs[1].duration, jobs[1].replicas), (30_000, 3_600_000, 2));
        assert_eq!((jobs[1].module, jobs[1].priority.get()), (Module::Training, 7));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let head = "submit,duration,replicas,gpus,quota\n";
        for (text, says) in [
            ("".to_string(), "empty"),
            (head.into(), "no jobs"),
            ("submit,duration,replicas,gpus\n1,1,1,1\n".into(), "no column quota"),
            (format!("{head}1,1,0,8,Q\n"), "line 2: \"0\" is no number of replicas"),
            (format!("{head}1,1,1,8,Q\nx,1,1,8,Q\n"), "line 3: "),
            (format!("{head}-1,1,1,8,Q\n"), "is no time"),
            (format!("{head}1,1,1,8,\n"), "a name is not empty"),
        ] {
            let error = parse(&text).expect_err(&text);
            assert!(error.contains(says), "{error}");
        }
    }
}
