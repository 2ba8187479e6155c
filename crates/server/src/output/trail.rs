//! The log files of one replica as one stream, whatever is put aside while it is read.
//!
//! A file is written as long as it has the log's own name. Put aside it is complete, and from then on its number only
//! grows, until it is dropped. So whoever opens files from the latest to the oldest misses none, and may meet one
//! twice; who holds one open can tell by its inode which are newer.

use super::tail;
use std::collections::VecDeque;
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use tidegate_executor::supervisor::aside;

/// More files than are ever put aside.
const ASIDES: u32 = 16;

/// Where to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// With all that there is.
    Beginning,
    /// With so many lines from the end.
    Tail(u64),
    /// Behind what was read before.
    After(Place),
}

/// A place in the output of a replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file's inode.
    pub file: u64,
    /// Bytes of it that were read.
    pub offset: u64,
}

/// A file of the log, and how much of it was read.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) file: File,
    id: (u64, u64),
    pub(super) size: u64,
    offset: u64,
}

#[derive(Debug)]
pub struct Trail {
    path: PathBuf,
    current: Option<Opened>,
    /// Newer ones, the oldest first.
    newer: VecDeque<Opened>,
}

impl Trail {
    /// Opens what there is.
    pub fn open(path: PathBuf, start: Start) -> io::Result<Trail> {
        let mut trail = Trail { path, current: None, newer: VecDeque::new() };
        trail.newer = trail.newer_than(None)?;
        match start {
            Start::Beginning => {}
            Start::Tail(lines) => {
                let (index, offset) = tail::begin(trail.newer.make_contiguous(), lines)?;
                trail.skip_to(index, offset)?;
            }
            Start::After(place) => {
                // A file that is gone was read in time, or nobody can help it.
                if let Some(index) = trail.newer.iter().position(|opened| opened.id.1 == place.file) {
                    trail.skip_to(index, place.offset)?;
                }
            }
        }
        Ok(trail)
    }

    fn skip_to(&mut self, index: usize, offset: u64) -> io::Result<()> {
        self.newer.drain(..index);
        if let Some(first) = self.newer.front_mut() {
            first.file.seek(SeekFrom::Start(offset))?;
            first.offset = offset;
        }
        Ok(())
    }

    /// Bytes that were there when it was opened and have not been read.
    pub fn left(&self) -> u64 {
        self.current.iter().chain(&self.newer).map(|opened| opened.size.saturating_sub(opened.offset)).sum()
    }

    /// Up to where it was read.
    pub fn place(&self) -> Option<Place> {
        self.current.as_ref().map(|opened| Place { file: opened.id.1, offset: opened.offset })
    }

    /// Reads on. 0 if there is nothing more at present.
    pub fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(opened) = &mut self.current {
                let count = opened.file.read(buffer)?;
                if count > 0 {
                    opened.offset += count as u64;
                    return Ok(count);
                }
            }
            if let Some(next) = self.newer.pop_front() {
                self.current = Some(next);
                continue;
            }
            if self.is_latest()? {
                return Ok(0);
            }
            // Something may have been written to it before it was put aside: it is read once more.
            self.newer = self.newer_than(self.current.as_ref().map(|opened| opened.id))?;
            if self.newer.is_empty() {
                return Ok(0);
            }
        }
    }

    /// Whether what is being read is what is being written.
    fn is_latest(&self) -> io::Result<bool> {
        let Some(named) = present(std::fs::metadata(&self.path))? else { return Ok(true) };
        Ok(self.current.as_ref().is_some_and(|opened| opened.id == id(&named)))
    }

    /// Files that are newer than one, the oldest first.
    fn newer_than(&self, than: Option<(u64, u64)>) -> io::Result<VecDeque<Opened>> {
        let mut found: VecDeque<Opened> = VecDeque::new();
        for number in 0..=ASIDES {
            let path = if number == 0 { self.path.clone() } else { aside(&self.path, number) };
            let Some(opened) = open(&path)? else { continue };
            if than == Some(opened.id) {
                break;
            }
            if found.iter().all(|other| other.id != opened.id) {
                found.push_front(opened);
            }
        }
        Ok(found)
    }
}

fn open(path: &Path) -> io::Result<Option<Opened>> {
    let Some(file) = present(File::open(path))? else { return Ok(None) };
    let metadata = file.metadata()?;
    Ok(Some(Opened { id: id(&metadata), size: metadata.len(), offset: 0, file }))
}

fn id(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

/// What is not there is no failure.
pub(super) fn present<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Write;

    fn all(trail: &mut Trail) -> String {
        let (mut text, mut buffer) = (Vec::new(), [0; 7]);
        loop {
            match trail.read(&mut buffer).expect("it reads") {
                0 => return String::from_utf8(text).expect("text"),
                count => text.extend_from_slice(&buffer[..count]),
            }
        }
    }

    fn append(path: &Path, text: &str) {
        let mut file = fs::OpenOptions::new().create(true).append(true).open(path).expect("it opens");
        file.write_all(text.as_bytes()).expect("written");
    }

    /// As a supervisor does it, with two that are kept.
    fn put_aside(path: &Path) {
        let _ = fs::rename(aside(path, 1), aside(path, 2));
        fs::rename(path, aside(path, 1)).expect("renamed");
    }

    #[test]
    fn files_that_were_put_aside_are_read_first() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("0.log");
        for text in ["one\n", "two\n", "three\n"] {
            if path.exists() {
                put_aside(&path);
            }
            append(&path, text);
        }
        let mut trail = Trail::open(path.clone(), Start::Beginning).expect("opens");
        assert_eq!(trail.left(), 14);
        assert_eq!(all(&mut trail), "one\ntwo\nthree\n");
        for (lines, text) in [(0, ""), (1, "three\n"), (2, "two\nthree\n"), (9, "one\ntwo\nthree\n")] {
            assert_eq!(all(&mut Trail::open(path.clone(), Start::Tail(lines)).expect("opens")), text);
        }
    }

    #[test]
    fn nothing_is_missed_or_read_twice_while_files_are_put_aside() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("0.log");
        let mut trail = Trail::open(path.clone(), Start::Beginning).expect("opens");
        assert_eq!(all(&mut trail), "");
        append(&path, "a");
        assert_eq!(all(&mut trail), "a");
        append(&path, "b");
        put_aside(&path);
        assert_eq!(all(&mut trail), "b", "it was written before that was put aside");
        append(&path, "c");
        put_aside(&path);
        append(&path, "d");
        assert_eq!(all(&mut trail), "cd");
        for text in ["e", "f", "g", "h"] {
            put_aside(&path);
            append(&path, text);
        }
        assert_eq!(all(&mut trail), "fgh", "e was dropped before it was read");
    }

    #[test]
    fn a_reader_comes_back_to_where_it_was() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("0.log");
        append(&path, "read, ");
        let mut trail = Trail::open(path.clone(), Start::Beginning).expect("opens");
        all(&mut trail);
        let place = trail.place().expect("somewhere");
        append(&path, "not read, ");
        put_aside(&path);
        append(&path, "nor this");
        let mut again = Trail::open(path.clone(), Start::After(place)).expect("opens");
        assert_eq!(all(&mut again), "not read, nor this");
        let gone = Place { file: 0, offset: 3 };
        let mut again = Trail::open(path, Start::After(gone)).expect("opens");
        assert_eq!(all(&mut again), "read, not read, nor this");
    }
}
