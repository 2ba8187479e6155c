//! How a database comes into being: under another name first, so that `tidegate.db` is either whole or absent.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::connection::{open_reader, open_still, open_writer};
use super::{Options, schema};
use crate::error::StoreError;
use crate::lock::DirLock;

/// A restore that did not finish leaves a file of this name behind.
pub(crate) const RESTORING: &str = "tidegate.db.restoring";

/// Documents may hold secrets of their owners: nobody else may read them.
const DIR_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// Makes the directory if there is none, and takes its lock.
pub(crate) fn claim(dir: &Path) -> Result<DirLock, StoreError> {
    make_dir(dir)?;
    DirLock::take(dir)
}

pub(crate) fn make_dir(dir: &Path) -> Result<(), StoreError> {
    DirBuilder::new().recursive(true).mode(DIR_MODE).create(dir).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            StoreError::Io { path: dir.to_path_buf(), what: "is not a directory".into() }
        }
        _ => StoreError::io(dir, &error),
    })
}

/// Sees to it that a database of ours, of a version that we know, lies at `path`. Changes nothing that is not.
pub(crate) fn ensure(path: &Path) -> Result<(), StoreError> {
    let dir = path.parent().unwrap_or(Path::new("."));
    if exists(&dir.join(RESTORING))? {
        return Err(StoreError::corrupt(dir.display().to_string(), "a restore into it did not finish"));
    }
    if exists(path)? {
        if fs::metadata(path).map_err(|error| StoreError::io(path, &error))?.len() == 0 {
            return Err(StoreError::corrupt(path.display().to_string(), "it is empty"));
        }
        // With a write-ahead log, the stamp may stand there.
        let log = fs::metadata(with_suffix(path, "-wal")).map_or(0, |log| log.len());
        let connection = if log == 0 { open_still(path)? } else { open_reader(path)? };
        let stamp = schema::stamp(&connection, path)?;
        return schema::check_stamp(stamp, schema::APPLICATION_ID, schema::KNOWN, path);
    }
    let log = with_suffix(path, "-wal");
    if exists(&log)? {
        return Err(StoreError::corrupt(
            path.display().to_string(),
            format!("it is gone, but {} is there", log.display()),
        ));
    }
    let fresh = with_suffix(path, ".new");
    discard(&fresh)?;
    create_private(&fresh)?;
    let mut connection = open_writer(&fresh, &Options::default())?;
    schema::migrate(&mut connection, schema::MIGRATIONS, &fresh)?;
    // Closing the only connection moves everything into the file and removes the write-ahead log.
    connection.close().map_err(|(_, error)| super::failure::sqlite_failure(error, &fresh, "closing"))?;
    put_in_place(&fresh, path)
}

/// Makes a new file that only its owner can read.
pub(crate) fn create_private(path: &Path) -> Result<File, StoreError> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(FILE_MODE)
        .open(path)
        .map_err(|error| StoreError::io(path, &error))
}

/// Gives a finished file its name, durably. An existing file of that name is left alone.
pub(crate) fn put_in_place(from: &Path, to: &Path) -> Result<(), StoreError> {
    let sync = |path: &Path| {
        File::open(path).and_then(|file| file.sync_all()).map_err(|error| StoreError::io(path, &error))
    };
    sync(from)?;
    if exists(to)? {
        return Err(StoreError::Exists { path: to.to_path_buf() });
    }
    fs::rename(from, to).map_err(|error| StoreError::io(to, &error))?;
    match to.parent() {
        Some(dir) if dir != Path::new("") => sync(dir),
        _ => sync(Path::new(".")),
    }
}

/// Removes what an attempt that did not finish left behind.
pub(crate) fn discard(path: &Path) -> Result<(), StoreError> {
    for leftover in ["", "-wal", "-shm", "-journal"].map(|suffix| with_suffix(path, suffix)) {
        match fs::remove_file(&leftover) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(StoreError::io(&leftover, &error));
            }
            _ => {}
        }
    }
    Ok(())
}

pub(crate) fn exists(path: &Path) -> Result<bool, StoreError> {
    path.try_exists().map_err(|error| StoreError::io(path, &error))
}

pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
