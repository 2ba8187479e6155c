//! A copy of the store while it runs, and a store out of a copy.

use std::fs;
use std::path::Path;

use rusqlite::backup::{Backup, StepResult};

use super::connection::{open_reader, open_scratch};
use super::create::{self, RESTORING, create_private, discard, exists, put_in_place, with_suffix};
use super::failure::{Context, sqlite_failure};
use super::reader::{SqliteReader, begin, head_row};
use super::{DATABASE_FILE, schema, verify};
use crate::error::StoreError;
use crate::lock::LOCK_FILE;
use crate::verified::{Progress, Verified};

/// Pages copied between two reports of progress.
const PAGES: i32 = 4096;

/// See [`crate::Reader::backup`].
pub(crate) fn backup(
    reader: &SqliteReader,
    file: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<Verified, StoreError> {
    if exists(file)? {
        return Err(StoreError::Exists { path: file.to_path_buf() });
    }
    let partial = with_suffix(file, ".partial");
    discard(&partial)?;
    create_private(&partial)?;
    let copied = copy(reader, &partial, progress)
        .and_then(|()| verify(&partial, progress))
        .and_then(Verified::sound)
        .and_then(|verified| put_in_place(&partial, file).map(|()| verified));
    if copied.is_err() {
        discard(&partial)?;
    }
    copied
}

fn copy(reader: &SqliteReader, partial: &Path, progress: &mut dyn FnMut(Progress)) -> Result<(), StoreError> {
    let context = Context::new(partial, "backup");
    // A transaction that has read something holds its state: the copy would begin anew with every append otherwise.
    let transaction = begin(&reader.connection, &reader.path)?;
    head_row(&transaction, &reader.path)?;
    let mut target = open_scratch(partial)?;
    let job = context.wrap(Backup::new(&transaction, &mut target))?;
    loop {
        let step = context.wrap(job.step(PAGES))?;
        let state = job.progress();
        let (total, left) = (state.pagecount.max(0) as u64, state.remaining.max(0) as u64);
        progress(Progress { part: "copy", done: total.saturating_sub(left), total });
        match step {
            StepResult::Done => break,
            StepResult::More => {}
            _ => return Err(StoreError::Busy { path: partial.to_path_buf() }),
        }
    }
    drop(job);
    drop(transaction);
    // One file, complete in itself: readable where nothing may be written.
    context.wrap(target.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(())))?;
    target.close().map_err(|(_, error)| sqlite_failure(error, partial, "backup"))
}

/// Makes a data directory out of a backup. The directory must be empty or absent; the backup is checked first.
pub fn restore(file: &Path, dir: &Path, progress: &mut dyn FnMut(Progress)) -> Result<Verified, StoreError> {
    let failed = |path: &Path, error: &std::io::Error| StoreError::io(path, error);
    if exists(dir)? {
        for entry in fs::read_dir(dir).map_err(|error| failed(dir, &error))? {
            let entry = entry.map_err(|error| failed(dir, &error))?;
            // A lock file holds nothing.
            if entry.file_name() != LOCK_FILE {
                return Err(StoreError::NotEmpty { dir: dir.to_path_buf() });
            }
        }
    }
    if !exists(file)? {
        return Err(StoreError::Io { path: file.to_path_buf(), what: "no such file".into() });
    }
    let stamp = schema::stamp(&open_reader(file)?, file)?;
    schema::check_stamp(stamp, schema::APPLICATION_ID, schema::KNOWN, file)?;
    let verified = verify(file, progress)?.sound()?;
    let _lock = create::claim(dir)?;
    let partial = dir.join(RESTORING);
    let mut target = create_private(&partial)?;
    let mut source = fs::File::open(file).map_err(|error| failed(file, &error))?;
    let copied = std::io::copy(&mut source, &mut target).map_err(|error| failed(&partial, &error));
    drop(target);
    if let Err(error) = copied.and_then(|_| put_in_place(&partial, &dir.join(DATABASE_FILE))) {
        discard(&partial)?;
        return Err(error);
    }
    Ok(verified)
}
