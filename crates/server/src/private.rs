//! What the data directory shows to others: nothing.

use rustix::fs::Mode;
use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;

/// Of the data directory the one part that is not for the server alone: what it holds belongs to workspaces.
const WORK: &str = "work";
/// Permissions of anybody but the owner.
const OTHERS: u32 = 0o077;

/// Makes a directory that nobody else can look into, if it is not there.
pub fn directory(path: &Path) -> io::Result<()> {
    // What is made above may be passed by others: it is not ours to close.
    if let Some(above) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o755).create(above)?;
    }
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Makes the data directory if it is not there, and lets nobody else look into it. From then on files of this process
/// are its user's alone, those included that a library makes.
pub fn make(data: &Path) -> io::Result<()> {
    directory(data)?;
    rustix::process::umask(Mode::from_raw_mode(OTHERS));
    for entry in fs::read_dir(data)? {
        let entry = entry?;
        if entry.file_name() != WORK {
            close(&entry)?;
        }
    }
    Ok(())
}

/// Takes from others what an earlier release, or somebody's hand, may have left them.
fn close(entry: &fs::DirEntry) -> io::Result<()> {
    let metadata = entry.metadata()?;
    let mode = metadata.permissions().mode();
    if metadata.is_symlink() || mode & OTHERS == 0 {
        return Ok(());
    }
    match fs::set_permissions(entry.path(), Permissions::from_mode(mode & !OTHERS)) {
        // It was removed meanwhile, or belongs to somebody else, who knows why.
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) => {
            Ok(())
        }
        closed => closed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_see_nothing() {
        let above = tempfile::tempdir().expect("a directory");
        let data = above.path().join("a").join("data");
        make(&data).expect("made");
        let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
        assert_eq!(mode(&data), 0o700);
        let (file, work) = (data.join("old"), data.join(WORK));
        fs::write(&file, "").expect("written");
        fs::create_dir(&work).expect("made");
        fs::set_permissions(&file, Permissions::from_mode(0o644)).expect("set");
        fs::set_permissions(&work, Permissions::from_mode(0o711)).expect("set");
        make(&data).expect("it is there");
        assert_eq!((mode(&file), mode(&work)), (0o600, 0o711));
    }
}
