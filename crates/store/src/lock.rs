//! One server per data directory: an exclusive lock that the system drops with the process, however it ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::Path;

use crate::error::StoreError;

pub(crate) const LOCK_FILE: &str = "lock";

/// Held as long as the value lives.
#[derive(Debug)]
pub(crate) struct DirLock {
    file: File,
}

impl DirLock {
    pub(crate) fn take(dir: &Path) -> Result<DirLock, StoreError> {
        let path = dir.join(LOCK_FILE);
        let failed = |error: &std::io::Error| StoreError::io(&path, error);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(|error| failed(&error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // Only for the message: a holder that has not yet written its number is no reason to fail otherwise.
                let _ = file.read_to_string(&mut holder);
                return Err(StoreError::Locked { dir: dir.to_path_buf(), pid: holder.trim().parse().ok() });
            }
            Err(TryLockError::Error(error)) => return Err(failed(&error)),
        }
        // The number is a courtesy to whoever is refused; a full disk must not keep a server from starting.
        let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
        Ok(DirLock { file })
    }
}

impl Drop for DirLock {
    /// By word rather than by closing the file: a child that is just being started still has a copy of it open.
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_back_though_a_copy_of_the_file_is_open() {
        let dir = tempfile::tempdir().expect("a directory");
        let lock = DirLock::take(dir.path()).expect("free");
        let copy = lock.file.try_clone().expect("a copy");
        assert!(matches!(DirLock::take(dir.path()), Err(StoreError::Locked { .. })));
        drop(lock);
        assert!(DirLock::take(dir.path()).is_ok());
        drop(copy);
    }
}
