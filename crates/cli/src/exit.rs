//! The published contract of exit codes, and the two ways out for text.

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

/// How a command ended, if not well. The numbers are a contract: 4 to 8 are for commands that talk to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Failure = 1,
    Usage = 2,
    NotFound = 3,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// An exit code and what to tell the user.
pub(crate) type Outcome = Result<(), (Exit, String)>;

/// Data, to stdout. Whoever reads it may stop reading: that is no failure.
pub(crate) fn print(text: &str) -> Outcome {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err((Exit::Failure, format!("cannot write the output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Everything else, to stderr. If even that fails there is nobody left to tell.
pub(crate) fn complain(message: &str) {
    let _ = writeln!(std::io::stderr(), "error: {message}");
}
