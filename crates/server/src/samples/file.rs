//! Blocks on disk. Losing the latest minutes to a crash is fine: nobody waits for the disk.

use super::block::Block;
use super::measure::{Figures, Subject};
use super::{COARSE, FINE, MAX_BLOCKS};
use crate::beside::{Durable, set_up};
use rusqlite::{Connection, OptionalExtension, params};
use std::path::Path;
use tidegate_engine::ids::Tick;

/// Changes with the tables: a file of another version is left alone, and figures are kept in memory only.
const VERSION: i64 = 1;
/// Stands for a mean of nothing: no figure is so small.
const UNKNOWN: i64 = i64::MIN;
const TABLES: &str = "
    CREATE TABLE block (
        kind INTEGER NOT NULL, key TEXT NOT NULL, start INTEGER NOT NULL, fine BLOB, means BLOB NOT NULL,
        PRIMARY KEY (kind, key, start)
    ) WITHOUT ROWID;
    CREATE INDEX block_by_age ON block (start);
    PRAGMA user_version = 1;";

#[derive(Debug)]
pub(super) struct BlockFile {
    connection: Connection,
    /// Blocks in it.
    count: u64,
    /// Single looks older than this are gone.
    coarse_before: u64,
}

/// What the file has of one block.
pub(super) enum Stored {
    Fine(Block),
    Means(Figures),
}

impl BlockFile {
    pub(super) fn open(path: &Path) -> rusqlite::Result<BlockFile> {
        BlockFile::on(Connection::open(path)?)
    }

    pub(super) fn in_memory() -> rusqlite::Result<BlockFile> {
        BlockFile::on(Connection::open_in_memory()?)
    }

    fn on(connection: Connection) -> rusqlite::Result<BlockFile> {
        set_up(&connection, Durable::Mostly, TABLES, VERSION)?;
        let count: i64 = connection.query_row("SELECT count(*) FROM block", [], |row| row.get(0))?;
        Ok(BlockFile { connection, count: count as u64, coarse_before: 0 })
    }

    /// Writes blocks that begin at `start`, and lets go of what is too old.
    pub(super) fn put<'a>(
        &mut self,
        start: u64,
        blocks: impl Iterator<Item = (&'a Subject, &'a Block)>,
        now: Tick,
    ) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction()?;
        let mut added = 0;
        {
            let sql = "INSERT OR REPLACE INTO block (kind, key, start, fine, means) VALUES (?, ?, ?, ?, ?)";
            let mut insert = transaction.prepare_cached(sql)?;
            for (subject, block) in blocks {
                let means: Vec<i64> = block.means().into_iter().map(|mean| mean.unwrap_or(UNKNOWN)).collect();
                let means = postcard::to_stdvec(&means).expect("figures are plain data");
                let (kind, start) = (subject.kind.number(), start as i64);
                insert.execute(params![kind, &*subject.key, start, block.pack(), means])?;
                added += 1;
            }
        }
        transaction.commit()?;
        self.count += added;
        self.age(now)
    }

    /// Single looks go after a week, means after a year, and the oldest when there are too many.
    fn age(&mut self, now: Tick) -> rusqlite::Result<()> {
        let coarse = now.0.saturating_sub(FINE.0);
        let sql = "UPDATE block SET fine = NULL WHERE start >= ? AND start < ?";
        self.connection.execute(sql, params![self.coarse_before as i64, coarse as i64])?;
        self.coarse_before = coarse;
        let gone = self
            .connection
            .execute("DELETE FROM block WHERE start < ?", params![now.0.saturating_sub(COARSE.0) as i64])?;
        self.count = self.count.saturating_sub(gone as u64);
        self.shrink(MAX_BLOCKS)
    }

    fn shrink(&mut self, most: u64) -> rusqlite::Result<()> {
        if self.count <= most {
            return Ok(());
        }
        let excess = (self.count - most) as i64;
        let sql =
            "DELETE FROM block WHERE start <= (SELECT start FROM block ORDER BY start LIMIT 1 OFFSET ?)";
        let gone = self.connection.execute(sql, params![excess - 1])?;
        self.count = self.count.saturating_sub(gone as u64);
        Ok(())
    }

    /// The block of a subject that begins at `start`, if it is there and can be read.
    pub(super) fn get(&self, subject: &Subject, start: u64) -> rusqlite::Result<Option<Block>> {
        let sql = "SELECT fine FROM block WHERE kind = ? AND key = ? AND start = ?";
        let mut query = self.connection.prepare_cached(sql)?;
        let given = params![subject.kind.number(), &*subject.key, start as i64];
        let bytes: Option<Option<Vec<u8>>> = query.query_row(given, |row| row.get(0)).optional()?;
        Ok(bytes.flatten().and_then(|bytes| Block::unpack(&bytes)))
    }

    /// Blocks of a subject that begin between two instants, oldest first.
    pub(super) fn between(
        &self,
        subject: &Subject,
        from: u64,
        to: u64,
    ) -> rusqlite::Result<Vec<(u64, Stored)>> {
        let sql = "SELECT start, fine, means FROM block WHERE kind = ? AND key = ? AND start BETWEEN ? AND ? \
                   ORDER BY start";
        let mut query = self.connection.prepare_cached(sql)?;
        let given = params![subject.kind.number(), &*subject.key, from as i64, to as i64];
        let rows = query.query_map(given, |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, Option<Vec<u8>>>(1)?, row.get::<_, Vec<u8>>(2)?))
        })?;
        let mut all = Vec::new();
        for row in rows {
            let (start, fine, means) = row?;
            let stored = match fine.and_then(|bytes| Block::unpack(&bytes)) {
                Some(block) => Some(Stored::Fine(block)),
                None => postcard::from_bytes::<Vec<i64>>(&means).ok().map(|means| {
                    let known = |mean| Some(mean).filter(|mean| *mean != UNKNOWN);
                    Stored::Means(means.into_iter().map(known).collect())
                }),
            };
            all.extend(stored.map(|stored| (start as u64, stored)));
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BLOCK, Kind};
    use super::*;

    fn fill(file: &mut BlockFile, start: u64, value: i64, now: Tick) {
        let mut block = Block::default();
        block.set(0, vec![Some(value), None]);
        let subject = Subject::new(Kind::Node, "n");
        file.put(start, std::iter::once((&subject, &block)), now).expect("it is written");
    }

    fn starts(file: &BlockFile) -> Vec<(u64, bool)> {
        let all = file.between(&Subject::new(Kind::Node, "n"), 0, i64::MAX as u64).expect("it is read");
        all.into_iter().map(|(start, stored)| (start, matches!(stored, Stored::Fine(_)))).collect()
    }

    #[test]
    fn single_looks_go_after_a_week_and_means_after_a_year() {
        let mut file = BlockFile::in_memory().expect("a file");
        fill(&mut file, 0, 1, Tick(BLOCK.0));
        let week = FINE.0 + BLOCK.0;
        fill(&mut file, week, 2, Tick(week));
        assert_eq!(starts(&file), [(0, false), (week, true)]);
        let year = COARSE.0 + BLOCK.0;
        fill(&mut file, year, 3, Tick(year));
        assert_eq!(starts(&file), [(week, false), (year, true)]);
        assert_eq!(file.count, 2);
    }

    #[test]
    fn the_oldest_go_when_there_are_too_many() {
        let mut file = BlockFile::in_memory().expect("a file");
        (0..10).for_each(|n| fill(&mut file, n * BLOCK.0, 1, Tick(10 * BLOCK.0)));
        file.shrink(10).expect("it shrinks");
        assert_eq!(starts(&file).len(), 10);
        file.shrink(4).expect("it shrinks");
        assert_eq!(starts(&file).iter().map(|(start, _)| start / BLOCK.0).collect::<Vec<_>>(), [6, 7, 8, 9]);
        assert_eq!(file.count, 4);
    }
}
