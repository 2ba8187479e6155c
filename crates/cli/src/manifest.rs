//! Manifests from files: YAML or JSON, one resource or several.

use crate::exit::{Exit, Failure, Outcome};
use std::io::{ErrorKind, Read};
use std::path::Path;
use tidegate_api::limits::MAX_BODY;
use tidegate_api::workload::NewWorkload;

/// The bytes of a file, or of standard input. One byte more than is allowed is read, so that a file without end is
/// refused like any that is too long.
pub(crate) fn read(file: &Path) -> Outcome<Vec<u8>> {
    let failed = |error: std::io::Error| {
        let exit = if error.kind() == ErrorKind::NotFound { Exit::NotFound } else { Exit::Failure };
        Failure::new(exit, format!("cannot read {}: {error}", file.display()))
            .hint("name a file, or - for standard input")
    };
    let mut bytes = Vec::new();
    let limit = MAX_BODY as u64 + 1;
    if file == Path::new("-") {
        std::io::stdin().lock().take(limit).read_to_end(&mut bytes).map_err(failed)?;
    } else {
        std::fs::File::open(file).and_then(|f| f.take(limit).read_to_end(&mut bytes)).map_err(failed)?;
    }
    if bytes.len() > MAX_BODY {
        let what = format!("{} is longer than {MAX_BODY} bytes", file.display());
        return Err(Failure::usage(what).hint("split it into several files"));
    }
    Ok(bytes)
}

/// The one workload that a file describes.
pub(crate) fn one_workload(file: &Path) -> Outcome<NewWorkload> {
    let bytes = read(file)?;
    let wrong = |why: String| {
        Failure::usage(format!("{}: {why}", file.display()))
            .hint("a manifest has kind Workload, metadata and spec; `tidegate apply` takes several")
    };
    let text = std::str::from_utf8(&bytes).map_err(|error| wrong(error.to_string()))?;
    serde_saphyr::from_str(text).map_err(|error| wrong(error.to_string()))
}
