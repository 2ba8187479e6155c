//! Which files the rules look at: what is, or is about to be, under version control.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Folders that hold what was made from the sources, never sources.
const SKIPPED: &[&str] =
    &[".git", "target", "node_modules", "dist", "generated", "test-results", "proptest-regressions"];
/// Cargo marks a build folder with this file, whatever the folder is called.
const BUILD_FOLDER_MARK: &str = "CACHEDIR.TAG";

/// A text file of the repository.
#[derive(Clone, Debug)]
pub struct File {
    /// From the root of the repository, with `/` between the parts.
    pub path: String,
    pub text: String,
}

/// The root of the repository that this crate stands in.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All text files below `root`, ordered by path. Links are not followed; what is not UTF-8 is no text.
pub fn files(root: &Path) -> io::Result<Vec<File>> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder))? {
            let entry = entry?;
            let path = folder.join(entry.file_name());
            let kind = entry.file_type()?;
            if kind.is_dir() && !is_skipped(root, &path) {
                folders.push(path);
            } else if kind.is_file()
                && let Ok(text) = String::from_utf8(fs::read(entry.path())?)
            {
                found.push(File { path: path.to_string_lossy().replace('\\', "/"), text });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

fn is_skipped(root: &Path, folder: &Path) -> bool {
    let named = folder.file_name().is_some_and(|name| SKIPPED.iter().any(|skipped| name == *skipped));
    named || root.join(folder).join(BUILD_FOLDER_MARK).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_walk_finds_sources_and_leaves_out_what_is_built() {
        let found = files(&root()).unwrap();
        let has = |path: &str| found.iter().any(|file| file.path == path);
        assert!(has("Cargo.toml") && has("crates/tidy/src/repository.rs") && has(".ci/run"));
        assert!(found.iter().all(|f| !f.path.starts_with(".git/") && !f.path.contains("target/")));
    }
}
