//! A supervisor alone, so that tests need no more of the product than this.

use std::process::ExitCode;

fn main() -> ExitCode {
    match std::env::args_os().nth(1) {
        Some(directory) => tidegate_executor::supervisor::supervise(directory.as_ref()),
        None => ExitCode::from(2),
    }
}
