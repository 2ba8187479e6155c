//! How much room directories take, measured in small steps.

use std::fs::{self, ReadDir};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

/// The kernel counts blocks of so many bytes, whatever a disk's own are.
const BLOCK: u64 = 512;

/// A walk through directories that goes on where it stopped. Links are not followed, nor other file systems entered.
#[derive(Debug)]
pub(super) struct Walk {
    ahead: Vec<PathBuf>,
    open: Option<ReadDir>,
    device: Option<u64>,
    bytes: u64,
}

impl Walk {
    pub(super) fn through(directories: Vec<PathBuf>) -> Walk {
        Walk { ahead: directories, open: None, device: None, bytes: 0 }
    }

    /// Looks at so many entries at most. The bytes of all, once it is through.
    pub(super) fn go_on(&mut self, budget: &mut u32) -> Option<u64> {
        while *budget > 0 {
            let Some(open) = &mut self.open else {
                let Some(directory) = self.ahead.pop() else { return Some(self.bytes) };
                *budget -= 1;
                let device = fs::symlink_metadata(&directory).map(|metadata| metadata.dev()).ok();
                self.device = self.device.or(device);
                if device == self.device {
                    self.open = fs::read_dir(directory).ok();
                }
                continue;
            };
            *budget -= 1;
            match open.next() {
                None => self.open = None,
                // What vanishes while it is looked at takes no room.
                Some(entry) => {
                    let Some((path, metadata)) =
                        entry.ok().and_then(|e| Some((e.path(), e.metadata().ok()?)))
                    else {
                        continue;
                    };
                    self.bytes += metadata.blocks() * BLOCK;
                    if metadata.is_dir() {
                        self.ahead.push(path);
                    }
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_goes_on_where_it_stopped() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["a", "b/c", "b/d/e"] {
            let path = directory.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, vec![1; 100_000]).unwrap();
        }
        std::os::unix::fs::symlink("/", directory.path().join("everything")).unwrap();
        let mut walk = Walk::through(vec![directory.path().into(), directory.path().join("missing")]);
        let (mut steps, mut found) = (0, None);
        while found.is_none() {
            found = walk.go_on(&mut 2);
            steps += 1;
            assert!(steps < 100);
        }
        let bytes = found.unwrap();
        assert!(steps > 3 && (300_000..500_000).contains(&bytes), "{bytes} in {steps} steps");
    }
}
