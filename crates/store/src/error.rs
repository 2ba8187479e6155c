//! What can go wrong with a store: what happened with its figures, and what to do.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Can be cloned: everyone who waits for a group gets the same error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreError {
    /// No space left on the disk, or in the bound set for the database. Nothing was changed.
    Full { path: PathBuf },
    /// The directory or the file may not be written.
    ReadOnly { path: PathBuf },
    /// Another process has the data directory open.
    Locked { dir: PathBuf, pid: Option<u32> },
    /// Another program holds the database file for longer than we wait.
    Busy { path: PathBuf },
    /// Something is not what was written.
    Corrupt { where_: String, what: String },
    /// The file was written by a later version. It was not touched.
    TooNew { path: PathBuf, found: u32, known: u32 },
    /// A database, but not of this program. It was not touched.
    NotOurs { path: PathBuf, found: u32 },
    /// The asked-for events were moved to an archive file.
    Archived { asked: u64, base: u64 },
    /// The directory to restore into holds something.
    NotEmpty { dir: PathBuf },
    /// The file to be written exists.
    Exists { path: PathBuf },
    /// The caller broke the contract: a mistake of the program. Nothing was changed.
    Misuse { what: String },
    /// Anything else the system refused.
    Io { path: PathBuf, what: String },
}

impl StoreError {
    /// What happened, with the figures; one line, no full stop.
    pub fn what(&self) -> String {
        match self {
            StoreError::Full { path } => format!("no space left to write {}", path.display()),
            StoreError::ReadOnly { path } => format!("{} cannot be written: read-only", path.display()),
            StoreError::Locked { dir, pid: Some(pid) } => {
                format!("data directory {} is in use by process {pid}", dir.display())
            }
            StoreError::Locked { dir, pid: None } => format!("data directory {} is in use", dir.display()),
            StoreError::Busy { path } => format!("{} is held by another program", path.display()),
            StoreError::Corrupt { where_, what } => format!("{where_} is damaged: {what}"),
            StoreError::TooNew { path, found, known } => {
                format!("{} has format {found}, this version knows up to {known}", path.display())
            }
            StoreError::NotOurs { path, found } => {
                format!("{} is a database of another program (application id {found:#010x})", path.display())
            }
            StoreError::Archived { asked, base } => {
                format!("event {asked} was archived, the log begins at {base}")
            }
            StoreError::NotEmpty { dir } => format!("{} is not empty", dir.display()),
            StoreError::Exists { path } => format!("{} exists", path.display()),
            StoreError::Misuse { what } => format!("the store was asked for what it cannot do: {what}"),
            StoreError::Io { path, what } => format!("{}: {what}", path.display()),
        }
    }

    /// What to do about it; one sentence or two.
    pub fn hint(&self) -> &'static str {
        match self {
            StoreError::Full { .. } => {
                "Free space on that disk; nothing was lost, and writing goes on as soon as there is room."
            }
            StoreError::ReadOnly { .. } => {
                "Check the owner and mode of the directory, and whether the disk is mounted read-only."
            }
            StoreError::Locked { .. } => "Stop the other server, or choose another data directory.",
            StoreError::Busy { .. } => "Close the program that has the file open.",
            StoreError::Corrupt { .. } => {
                "Stop the server and keep a copy of the directory; `tidegate log verify` lists the damage, `tidegate restore` brings back a backup into an empty directory."
            }
            StoreError::TooNew { .. } => "Start the version that wrote it, or a later one.",
            StoreError::NotOurs { .. } => {
                "Choose another data directory; if it should be ours, restore a backup."
            }
            StoreError::Archived { .. } => "Read it from the archive file.",
            StoreError::NotEmpty { .. } => "Restore into a new or empty directory.",
            StoreError::Exists { .. } => "Choose another name, or remove the file first.",
            StoreError::Misuse { .. } => "This is a defect of the program; please report it.",
            StoreError::Io { .. } => "Check the disk and the system's messages.",
        }
    }

    /// One word for logs, metrics and problem codes.
    pub fn code(&self) -> &'static str {
        match self {
            StoreError::Full { .. } => "storage-full",
            StoreError::ReadOnly { .. } => "storage-read-only",
            StoreError::Locked { .. } => "storage-locked",
            StoreError::Busy { .. } => "storage-busy",
            StoreError::Corrupt { .. } => "storage-corrupt",
            StoreError::TooNew { .. } => "storage-too-new",
            StoreError::NotOurs { .. } => "storage-not-ours",
            StoreError::Archived { .. } => "archived",
            StoreError::NotEmpty { .. } => "not-empty",
            StoreError::Exists { .. } => "exists",
            StoreError::Misuse { .. } => "storage-misuse",
            StoreError::Io { .. } => "storage-io",
        }
    }

    pub(crate) fn corrupt(where_: impl Into<String>, what: impl Into<String>) -> StoreError {
        StoreError::Corrupt { where_: where_.into(), what: what.into() }
    }

    pub(crate) fn misuse(what: impl Into<String>) -> StoreError {
        StoreError::Misuse { what: what.into() }
    }

    pub(crate) fn io(path: &Path, error: &io::Error) -> StoreError {
        let path = path.to_path_buf();
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::Full { path },
            io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
                StoreError::ReadOnly { path }
            }
            io::ErrorKind::AlreadyExists => StoreError::Exists { path },
            _ => StoreError::Io { path, what: error.to_string() },
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}. {}", self.what(), self.hint())
    }
}

impl std::error::Error for StoreError {}
