//! The output of all replicas of a workload, in pieces.

use super::trail::{Place, Start, Trail, present};
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use tidegate_api::limits::{MAX_FOLLOWED, MAX_OUTPUT};

/// What is wanted of a workload's output.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    /// This replica only.
    pub replica: Option<u32>,
    /// So many lines from the end of each replica's output.
    pub tail: Option<u64>,
    /// Behind these places.
    pub after: BTreeMap<u32, Place>,
    /// What is written from now on, too.
    pub follow: bool,
}

/// Some bytes of a replica's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    pub replica: u32,
    /// Where its output goes on.
    pub place: Place,
    pub bytes: Vec<u8>,
}

/// Reads the files in a workload's directory of logs.
#[derive(Debug)]
pub struct Reading {
    directory: PathBuf,
    wish: Wish,
    /// Replicas that were found, with what is read of them; nothing once that is done.
    trails: BTreeMap<u32, Option<Reader>>,
    /// Replicas that write take turns.
    turn: u32,
    /// What is found from now on is new, so all of it is wanted.
    has_looked: bool,
}

#[derive(Debug)]
struct Reader {
    trail: Trail,
    /// Bytes that are still wanted; no bound if absent.
    left: Option<u64>,
}

impl Reading {
    pub fn new(directory: PathBuf, wish: Wish) -> io::Result<Reading> {
        let mut reading = Reading { directory, wish, trails: BTreeMap::new(), turn: 0, has_looked: false };
        reading.look()?;
        reading.has_looked = true;
        Ok(reading)
    }

    /// Numbers of the replicas that have written so far.
    pub fn replicas(&self) -> impl Iterator<Item = u32> {
        self.trails.keys().copied()
    }

    /// Whether lines have to be told apart.
    pub fn is_several(&self) -> bool {
        self.trails.len() > 1
    }

    /// Looks for replicas that have begun to write. Whether there are any.
    fn look(&mut self) -> io::Result<bool> {
        let Some(entries) = present(std::fs::read_dir(&self.directory))? else { return Ok(false) };
        let mut is_new = false;
        for entry in entries {
            let name = entry?.file_name();
            // N.log, or N.log.1 while there is no N.log yet.
            let number = name.to_str().and_then(|name| name.split_once(".log")?.0.parse().ok());
            let wanted = number.filter(|number| self.wish.replica.is_none_or(|only| only == *number));
            let Some(number) = wanted.filter(|number| !self.trails.contains_key(number)) else { continue };
            if self.wish.follow && self.trails.len() >= MAX_FOLLOWED {
                break;
            }
            let reader = if self.wish.follow { Some(self.open(number)?) } else { None };
            self.trails.insert(number, reader);
            is_new = true;
        }
        Ok(is_new)
    }

    fn open(&self, number: u32) -> io::Result<Reader> {
        let start = match (self.wish.after.get(&number), self.wish.tail) {
            (Some(place), _) => Start::After(*place),
            (None, Some(lines)) if !self.has_looked || !self.wish.follow => Start::Tail(lines),
            _ => Start::Beginning,
        };
        let trail = Trail::open(self.directory.join(format!("{number}.log")), start)?;
        // Without following, it ends where it ended when it was asked for.
        let left = (!self.wish.follow).then(|| trail.left());
        Ok(Reader { trail, left })
    }

    /// The next piece; `None` if there is nothing more at present.
    pub fn piece(&mut self) -> io::Result<Option<Piece>> {
        if !self.wish.follow {
            return self.piece_in_order();
        }
        loop {
            let (early, late): (Vec<u32>, Vec<u32>) = self.replicas().partition(|n| *n < self.turn);
            for number in late.into_iter().chain(early) {
                let Some(Some(reader)) = self.trails.get_mut(&number) else { continue };
                if let Some(piece) = reader.read(number)? {
                    self.turn = number + 1;
                    return Ok(Some(piece));
                }
            }
            if !self.look()? {
                return Ok(None);
            }
        }
    }

    /// One replica after the other: only one is open at a time.
    fn piece_in_order(&mut self) -> io::Result<Option<Piece>> {
        loop {
            let Some(&number) = self.trails.range(self.turn..).next().map(|(number, _)| number) else {
                return Ok(None);
            };
            let mut reader = match self.trails.insert(number, None).flatten() {
                Some(reader) => reader,
                None => self.open(number)?,
            };
            if let Some(piece) = reader.read(number)? {
                self.turn = number;
                self.trails.insert(number, Some(reader));
                return Ok(Some(piece));
            }
            self.turn = number.saturating_add(1);
        }
    }
}

impl Reader {
    fn read(&mut self, replica: u32) -> io::Result<Option<Piece>> {
        let most = self.left.map_or(MAX_OUTPUT, |left| left.min(MAX_OUTPUT as u64) as usize);
        let mut bytes = vec![0; most];
        let count = self.trail.read(&mut bytes)?;
        bytes.truncate(count);
        self.left = self.left.map(|left| left - count as u64);
        let place = self.trail.place();
        Ok(place.filter(|_| count > 0).map(|place| Piece { replica, place, bytes }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn all(reading: &mut Reading) -> Vec<(u32, String)> {
        let mut pieces = Vec::new();
        while let Some(piece) = reading.piece().expect("it reads") {
            pieces.push((piece.replica, String::from_utf8(piece.bytes).expect("text")));
        }
        pieces
    }

    fn said(expected: &[(u32, &str)]) -> Vec<(u32, String)> {
        expected.iter().map(|(replica, text)| (*replica, text.to_string())).collect()
    }

    #[test]
    fn replicas_come_in_order_and_end_where_they_were() {
        let dir = tempfile::tempdir().expect("a directory");
        for (name, text) in [("0.log", "zero\n"), ("10.log", "ten\n"), ("2.log", "a\nb\n"), ("notes", "?")] {
            fs::write(dir.path().join(name), text).expect("written");
        }
        let mut reading = Reading::new(dir.path().into(), Wish::default()).expect("opens");
        assert_eq!(all(&mut reading), said(&[(0, "zero\n"), (2, "a\nb\n"), (10, "ten\n")]));
        let wish = Wish { replica: Some(2), tail: Some(1), ..Wish::default() };
        assert_eq!(all(&mut Reading::new(dir.path().into(), wish).expect("opens")), said(&[(2, "b\n")]));
        let nowhere = dir.path().join("nowhere");
        assert_eq!(all(&mut Reading::new(nowhere, Wish::default()).expect("opens")), []);
    }

    #[test]
    fn whoever_begins_later_is_followed_too() {
        let dir = tempfile::tempdir().expect("a directory");
        let logs = dir.path().join("logs");
        let wish = Wish { follow: true, tail: Some(0), ..Wish::default() };
        let mut reading = Reading::new(logs.clone(), wish).expect("opens");
        assert_eq!(all(&mut reading), []);
        fs::create_dir(&logs).expect("made");
        fs::write(logs.join("1.log"), "one").expect("written");
        assert_eq!(all(&mut reading), said(&[(1, "one")]));
        fs::write(logs.join("1.log"), "one, more").expect("written");
        fs::write(logs.join("0.log"), "zero").expect("written");
        assert_eq!(all(&mut reading), said(&[(1, ", more"), (0, "zero")]));
        assert!(reading.is_several());
    }
}
