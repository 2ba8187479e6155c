//! Where the last lines of some files begin, found from their end.

use super::trail::Opened;
use std::io;
use std::os::unix::fs::FileExt;

/// Files are read backwards in such pieces.
const PIECE: u64 = 64 << 10;

/// The file, by its place among `files` (the oldest first), and the offset in it where the last `lines` lines begin.
pub(super) fn begin(files: &[Opened], lines: u64) -> io::Result<(usize, u64)> {
    let mut left = lines;
    // The last line's own end is not the end of a line before it.
    let mut is_last = true;
    let mut piece = vec![0; PIECE as usize];
    let Some(end) = files.last().map(|last| (files.len() - 1, last.size)) else { return Ok((0, 0)) };
    if lines == 0 {
        return Ok(end);
    }
    for (index, opened) in files.iter().enumerate().rev() {
        let mut end = opened.size;
        while end > 0 {
            let start = end.saturating_sub(PIECE);
            let part = &mut piece[..(end - start) as usize];
            opened.file.read_exact_at(part, start)?;
            for (at, byte) in part.iter().enumerate().rev() {
                let ends_here = *byte == b'\n' && !is_last;
                is_last = false;
                if ends_here {
                    left -= 1;
                    if left == 0 {
                        return Ok((index, start + at as u64 + 1));
                    }
                }
            }
            end = start;
        }
    }
    Ok((0, 0))
}
