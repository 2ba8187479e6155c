//! `tidegate simulate FILE`.

use crate::Format;
use crate::exit::{Exit, Outcome, print};
use std::io::{ErrorKind, Read};
use std::path::Path;
use tidegate_sim::language::MAX_BYTES;
use tidegate_sim::report::{json, text};
use tidegate_sim::{SimError, simulate as run};

pub(crate) fn simulate(file: &Path, format: Format) -> Outcome {
    let source = read(file)?;
    match run(&source) {
        Ok(recording) => match format {
            Format::Text => print(&text::render(&recording.report)),
            Format::Json => print(&json::render(&recording.report)),
        },
        Err(error @ SimError::File(_)) => Err((Exit::Usage, format!("{}: {error}", file.display()))),
        Err(error @ SimError::Run(_)) => Err((Exit::Failure, error.to_string())),
    }
}

/// Reads one byte more than is allowed, so that a file without end is refused like any that is too long.
fn read(file: &Path) -> Result<Vec<u8>, (Exit, String)> {
    let failed = |error: std::io::Error| {
        let exit = if error.kind() == ErrorKind::NotFound { Exit::NotFound } else { Exit::Failure };
        (
            exit,
            format!(
                "cannot read {}: {error}; hint: name a scenario file, or - for standard input",
                file.display()
            ),
        )
    };
    let mut bytes = Vec::new();
    let limit = MAX_BYTES as u64 + 1;
    if file == Path::new("-") {
        std::io::stdin().lock().take(limit).read_to_end(&mut bytes).map_err(failed)?;
    } else {
        std::fs::File::open(file).and_then(|f| f.take(limit).read_to_end(&mut bytes)).map_err(failed)?;
    }
    Ok(bytes)
}
