//! The published contract of exit codes, and the two ways out for text.

use std::fmt::Display;
use std::io::{ErrorKind, Write};
use tidegate_api::{Code, Problem};

/// How a command ended, if not well. The numbers are a contract, documented in docs/exit-codes.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    Failure = 1,
    Usage = 2,
    NotFound = 3,
    Stale = 4,
    Denied = 5,
    Capacity = 6,
    Unreachable = 7,
    TimedOut = 8,
}

/// For the help of the command: the same table as in docs/exit-codes.md.
pub(crate) const EXIT_CODES: &str = "Exit codes:
  0  ok (a command that a scenario's engine refuses is an event, not a failure)
  1  failure
  2  usage: wrong flags, a syntax error, a field or declaration that breaks a rule
  3  not found
  4  stale or conflicting
  5  denied
  6  not enough capacity
  7  server unreachable
  8  timed out";

/// What happened, the figures, what to do. It may also just be a number: the exit code of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) code: u8,
    what: String,
    figures: Vec<String>,
    hint: Option<String>,
    /// The problem that the server answered, if it was one.
    pub(crate) problem: Option<Code>,
}

pub(crate) type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    pub(crate) fn new(exit: Exit, what: impl Display) -> Failure {
        Failure { code: exit as u8, what: what.to_string(), figures: Vec::new(), hint: None, problem: None }
    }

    pub(crate) fn usage(what: impl Display) -> Failure {
        Failure::new(Exit::Usage, what)
    }

    /// Nothing to tell but a number.
    pub(crate) fn silent(code: u8) -> Failure {
        Failure { code, what: String::new(), figures: Vec::new(), hint: None, problem: None }
    }

    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Display) -> Failure {
        self.hint = Some(hint.to_string());
        self
    }

    #[must_use]
    pub(crate) fn figure(mut self, figure: impl Display) -> Failure {
        self.figures.push(figure.to_string());
        self
    }

    /// Whether there is nothing to tell but a number.
    pub(crate) fn is_silent(&self) -> bool {
        self.what.is_empty()
    }

    pub(crate) fn is(&self, exit: Exit) -> bool {
        self.code == exit as u8
    }
}

/// On one line, for where it is no end but part of a story.
impl Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.what)?;
        self.hint.iter().try_for_each(|hint| write!(f, "; hint: {hint}"))
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Failure {
        let mut failure = Failure::new(exit_of(problem.code), &problem.detail).hint(&problem.hint);
        failure.problem = Some(problem.code);
        // One pointer stands in the detail already.
        let pointers = problem.pointers.iter().map(|p| format!("{}: {}", p.pointer, p.detail));
        failure.figures.extend(pointers.filter(|_| problem.pointers.len() > 1));
        failure.figures.extend(problem.reasons);
        failure
    }
}

/// What a problem means for whoever called the command.
pub(crate) fn exit_of(code: Code) -> Exit {
    match code {
        Code::ShareTooSmall
        | Code::NeverFits
        | Code::NoSharedCompute
        | Code::TooManyTasks
        | Code::BudgetExhausted => Exit::Capacity,
        Code::NoDedicatedCompute | Code::SupplyBooked | Code::ConfigFull => Exit::Capacity,
        Code::UnknownReference => Exit::NotFound,
        Code::IdempotencyMismatch => Exit::Stale,
        other => exit_of_status(other.status()),
    }
}

/// The same, when the status is all that is known.
pub(crate) fn exit_of_status(status: u16) -> Exit {
    match status {
        401 | 403 => Exit::Denied,
        404 => Exit::NotFound,
        408 | 504 => Exit::TimedOut,
        409 | 410 | 412 | 428 => Exit::Stale,
        429 | 502 | 503 => Exit::Unreachable,
        400 | 405 | 413 | 415 | 422 => Exit::Usage,
        _ => Exit::Failure,
    }
}

/// Data, to stdout. Whoever reads it may stop reading: that is no failure, and nothing is left to do.
pub(crate) fn print(text: &str) -> Outcome {
    print_bytes(text.as_bytes())
}

/// Data that need not be text.
pub(crate) fn print_bytes(bytes: &[u8]) -> Outcome {
    match write(bytes) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Failure::silent(0)),
        Err(error) => Err(Failure::new(Exit::Failure, format!("cannot write the output: {error}"))),
    }
}

fn write(bytes: &[u8]) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

pub(crate) fn print_line(line: impl Display) -> Outcome {
    print(&format!("{line}\n"))
}

/// What is no data, to stderr. If even that fails there is nobody left to tell.
pub(crate) fn note(text: impl Display) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

pub(crate) fn complain(failure: &Failure) {
    if failure.what.is_empty() {
        return;
    }
    let mut text = format!("error: {}", failure.what.trim_end());
    failure.figures.iter().for_each(|figure| text.push_str(&format!("\n  {figure}")));
    failure.hint.iter().for_each(|hint| text.push_str(&format!("\nhint: {hint}")));
    note(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_has_its_exit_code() {
        for (code, exit) in [
            (Code::MalformedBody, 2),
            (Code::Invalid, 2),
            (Code::BadPolicy, 2),
            (Code::BadScenario, 2),
            (Code::NotFound, 3),
            (Code::UnknownReference, 3),
            (Code::NameTaken, 4),
            (Code::StaleVersion, 4),
            (Code::VersionRequired, 4),
            (Code::InUse, 4),
            (Code::Expired, 4),
            (Code::Unauthenticated, 5),
            (Code::ShareTooSmall, 6),
            (Code::NeverFits, 6),
            (Code::QueueFull, 7),
            (Code::StoreFailing, 7),
            (Code::RequestTimeout, 8),
            (Code::Internal, 1),
        ] {
            assert_eq!(exit_of(code) as u8, exit, "{code}");
        }
    }

    #[test]
    fn the_page_and_the_help_list_the_same_codes() {
        let page = include_str!("../../../docs/exit-codes.md");
        for line in EXIT_CODES.lines().skip(1) {
            let (code, about) = line.trim().split_once("  ").expect("a number and a sentence");
            let word = about.split([':', '(']).next().expect("a word").trim();
            assert!(page.contains(&format!("| {code} | {word}")), "{code} {word}");
        }
        for code in Code::ALL {
            let row = format!("| `{}` | {} |", code.word(), exit_of(*code) as u8);
            assert!(page.contains(&row), "docs/exit-codes.md lacks the row {row}");
        }
    }
}
