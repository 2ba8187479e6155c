//! One server per data directory: an exclusive lock that the system drops with the process, however it ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::Path;
use std::time::Duration;

use crate::error::StoreError;

pub(crate) const LOCK_FILE: &str = "lock";

/// Held as long as the value lives.
#[derive(Debug)]
pub(crate) struct DirLock {
    file: File,
}

/// A process that is being started has copies of all open files of the one that starts it, until its own program
/// begins. Whoever is killed in that instant leaves its lock to such a child for a moment: so long is waited for it.
const MOMENT: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(5);

impl DirLock {
    #[allow(clippy::disallowed_methods, reason = "nobody tells when a lock is free")]
    pub(crate) fn take(dir: &Path) -> Result<DirLock, StoreError> {
        let mut left = MOMENT;
        DirLock::take_while(dir, || {
            std::thread::sleep(PAUSE);
            left = left.saturating_sub(PAUSE);
            !left.is_zero()
        })
    }

    /// Tries again as long as `again` says so, which is asked after each time that somebody else had it.
    fn take_while(dir: &Path, mut again: impl FnMut() -> bool) -> Result<DirLock, StoreError> {
        let path = dir.join(LOCK_FILE);
        let failed = |error: &std::io::Error| StoreError::io(&path, error);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(|error| failed(&error))?;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if again() => {}
                Err(TryLockError::WouldBlock) => {
                    let mut holder = String::new();
                    // Only for the message: a holder that has not yet written its number is no reason to fail otherwise.
                    let _ = file.read_to_string(&mut holder);
                    return Err(StoreError::Locked {
                        dir: dir.to_path_buf(),
                        pid: holder.trim().parse().ok(),
                    });
                }
                Err(TryLockError::Error(error)) => return Err(failed(&error)),
            }
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

    #[test]
    fn a_copy_that_a_child_has_for_a_moment_is_waited_for() {
        let dir = tempfile::tempdir().expect("a directory");
        // What is left of a server that was killed while it started a process.
        let left = File::create(dir.path().join(LOCK_FILE)).expect("a file");
        left.try_lock().expect("free");
        let (mut left, mut asked) = (Some(left), 0);
        let taken = DirLock::take_while(dir.path(), || {
            asked += 1;
            if asked == 3 {
                left = None;
            }
            asked < 10
        });
        assert!(taken.is_ok() && asked == 3, "{asked}");
        let mut patience = 10;
        let refused = DirLock::take_while(dir.path(), || {
            patience -= 1;
            patience > 0
        });
        assert!(matches!(refused, Err(StoreError::Locked { pid: Some(_), .. })));
    }
}
