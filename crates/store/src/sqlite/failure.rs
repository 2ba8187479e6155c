//! What SQLite reports, in the words of the store.

use std::path::Path;

use rusqlite::{Error, ErrorCode};

use crate::error::StoreError;

/// Where a failure happened: kept by the caller, used only if there is one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    path: &'a Path,
    part: &'a str,
}

impl<'a> Context<'a> {
    pub(crate) fn new(path: &'a Path, part: &'a str) -> Context<'a> {
        Context { path, part }
    }

    pub(crate) fn wrap<T>(&self, result: rusqlite::Result<T>) -> Result<T, StoreError> {
        result.map_err(|error| sqlite_failure(error, self.path, self.part))
    }

    pub(crate) fn corrupt(&self, what: impl Into<String>) -> StoreError {
        StoreError::corrupt(format!("{} ({})", self.path.display(), self.part), what)
    }
}

/// Our statements are fixed and their values checked, so a statement or a type that does not fit means that the file
/// does not hold what was written.
pub(crate) fn sqlite_failure(error: Error, path: &Path, part: &str) -> StoreError {
    let owned = path.to_path_buf();
    let Some(failure) = error.sqlite_error() else {
        return Context::new(path, part).corrupt(error.to_string());
    };
    match failure.code {
        ErrorCode::DiskFull => StoreError::Full { path: owned },
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied => StoreError::ReadOnly { path: owned },
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed => {
            StoreError::Busy { path: owned }
        }
        ErrorCode::SystemIoFailure
        | ErrorCode::CannotOpen
        | ErrorCode::OutOfMemory
        | ErrorCode::OperationInterrupted
        | ErrorCode::NoLargeFileSupport => {
            let what = format!("{error} (SQLite code {})", failure.extended_code);
            StoreError::Io { path: owned, what }
        }
        ErrorCode::TooBig => StoreError::misuse(format!("{part}: {error}")),
        _ => Context::new(path, part).corrupt(error.to_string()),
    }
}
