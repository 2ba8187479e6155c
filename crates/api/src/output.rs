//! What workloads write: as it goes over the wire, and as people read it when several write at once.

use crate::limits::MAX_HELD_LINE;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// A piece of what one replica wrote, as an event of a stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Output {
    /// Its number, as in `TIDEGATE_REPLICA`.
    pub replica: u32,
    /// Where this replica's output goes on after this piece: an element of `after`.
    pub at: String,
    /// Base64 of the bytes as they were written.
    pub bytes: String,
}

impl Output {
    pub fn new(replica: u32, at: String, bytes: &[u8]) -> Output {
        Output { replica, at, bytes: STANDARD.encode(bytes) }
    }

    /// The bytes as they were written; `None` if it is not base64.
    pub fn decoded(&self) -> Option<Vec<u8>> {
        STANDARD.decode(&self.bytes).ok()
    }
}

/// Puts together what several replicas write: whole lines, each with the number of its replica. A single one is
/// passed on as it is.
#[derive(Debug, Default)]
pub struct Braid {
    /// Whether lines carry numbers.
    numbered: bool,
    /// Lines that have begun, by replica.
    begun: BTreeMap<u32, Vec<u8>>,
    /// Whose line was passed on without its end.
    open: Option<u32>,
}

impl Braid {
    /// `numbered` if there are, or may be, several replicas.
    pub fn new(numbered: bool) -> Braid {
        Braid { numbered, ..Braid::default() }
    }

    /// From now on lines carry numbers.
    pub fn number(&mut self) {
        self.numbered = true;
    }

    /// Takes in what a replica wrote; what is ready to be read is added to `out`.
    pub fn add(&mut self, replica: u32, bytes: &[u8], out: &mut Vec<u8>) {
        if !self.numbered {
            self.open = match bytes.last() {
                Some(b'\n') => None,
                Some(_) => Some(replica),
                None => self.open,
            };
            out.extend_from_slice(bytes);
            return;
        }
        let mut line = self.begun.remove(&replica).unwrap_or_default();
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            line.extend_from_slice(part);
            if part.ends_with(b"\n") || line.len() >= MAX_HELD_LINE {
                self.pass_on(replica, &line, out);
                line.clear();
            }
        }
        if !line.is_empty() {
            self.begun.insert(replica, line);
        }
    }

    /// Lines that have no end yet and are not to be waited for any longer.
    pub fn flush(&mut self, out: &mut Vec<u8>) {
        for (replica, line) in std::mem::take(&mut self.begun) {
            self.pass_on(replica, &line, out);
        }
    }

    fn pass_on(&mut self, replica: u32, line: &[u8], out: &mut Vec<u8>) {
        if self.open != Some(replica) {
            if self.open.is_some() {
                out.push(b'\n');
            }
            out.extend_from_slice(format!("[{replica}] ").as_bytes());
        }
        out.extend_from_slice(line);
        self.open = (!line.ends_with(b"\n")).then_some(replica);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn braided(numbered: bool, pieces: &[(u32, &[u8])]) -> Vec<u8> {
        let (mut braid, mut out) = (Braid::new(numbered), Vec::new());
        pieces.iter().for_each(|(replica, bytes)| braid.add(*replica, bytes, &mut out));
        braid.flush(&mut out);
        out
    }

    #[test]
    fn one_replica_is_passed_on_as_it_is() {
        assert_eq!(braided(false, &[(0, b"a\nb"), (0, b"\xff\0\nc")]), b"a\nb\xff\0\nc");
    }

    #[test]
    fn several_are_told_apart_and_lines_stay_whole() {
        let pieces: [(u32, &[u8]); 5] = [(0, b"a"), (1, b"x\ny"), (0, b"b\n"), (1, b"z\n"), (2, b"no end")];
        assert_eq!(braided(true, &pieces), b"[1] x\n[0] ab\n[1] yz\n[2] no end");
    }

    #[test]
    fn a_line_that_was_cut_goes_on_or_is_ended() {
        let (mut braid, mut out) = (Braid::new(true), Vec::new());
        braid.add(0, b"50 %", &mut out);
        assert!(out.is_empty());
        braid.flush(&mut out);
        braid.add(0, b", 60 %\n", &mut out);
        braid.add(0, b"70 %", &mut out);
        braid.flush(&mut out);
        braid.add(1, b"hi\n", &mut out);
        assert_eq!(out, b"[0] 50 %, 60 %\n[0] 70 %\n[1] hi\n");
    }

    #[test]
    fn a_line_without_end_is_not_held_for_ever() {
        let (mut braid, mut out) = (Braid::new(true), Vec::new());
        braid.add(3, &[b'x'; MAX_HELD_LINE - 1], &mut out);
        assert!(out.is_empty());
        braid.add(3, b"y", &mut out);
        assert_eq!(out.len(), MAX_HELD_LINE + b"[3] ".len());
    }

    #[test]
    fn numbers_begin_when_there_are_several() {
        let (mut braid, mut out) = (Braid::new(false), Vec::new());
        braid.add(0, b"first", &mut out);
        braid.number();
        braid.add(1, b"second\n", &mut out);
        assert_eq!(out, b"first\n[1] second\n");
    }

    #[test]
    fn bytes_come_back_as_they_were() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(Output::new(0, "1-2-3".into(), &all).decoded(), Some(all));
    }
}
