//! What is booked of a supply, and when: a step function of time for each resource.
//!
//! Asked far more often than changed. The changes of a level stand in blocks, each with the sum of its changes and the
//! highest and lowest level within it, so that a question costs a look at every block it spans and at the inside of
//! at most two.

use std::collections::BTreeMap;
use std::sync::Arc;
use tidegate_engine::ids::{Span, Tick};
use tidegate_engine::resources::{Dimension, Resources};

/// Changes in a block before it is cut in two: about the square root of what a hundred thousand bookings need, so
/// that the blocks and the inside of one cost the same to look at.
const BLOCK: usize = 512;

/// Bookings of one supply, each of an amount for `[from, to)`. A copy shares what is not changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Calendar {
    /// Nothing for a resource that nobody books.
    levels: BTreeMap<Dimension, Level>,
}

impl Calendar {
    /// Books an amount. Whether there is room was asked before: see [`Calendar::most`].
    pub fn insert(&mut self, from: Tick, to: Tick, amount: &Resources) {
        self.change(from, to, amount, 1);
    }

    /// Takes back what was booked, or a part of it.
    pub fn remove(&mut self, from: Tick, to: Tick, amount: &Resources) {
        self.change(from, to, amount, -1);
    }

    fn change(&mut self, from: Tick, to: Tick, amount: &Resources, sign: i64) {
        if from >= to {
            return;
        }
        for (dimension, amount) in amount.stated() {
            let level = self.levels.entry(dimension).or_default();
            level.add(from, sign * amount);
            level.add(to, -sign * amount);
            if level.blocks.is_empty() {
                self.levels.remove(&dimension);
            }
        }
    }

    /// The most that is booked of each resource at any instant of `[from, to)`.
    pub fn most(&self, from: Tick, to: Tick) -> Resources {
        let mut most = Resources::default();
        for (dimension, level) in &self.levels {
            most[*dimension] = level.most(from, to);
        }
        most
    }

    /// What is booked at an instant.
    pub fn at(&self, at: Tick) -> Resources {
        self.most(at, at.after(Span(1)))
    }

    /// What may still be booked for all of `[from, to)`; below zero where more is booked than there is.
    pub fn free(&self, from: Tick, to: Tick, supply: &Resources) -> Resources {
        supply.minus(&self.most(from, to))
    }

    /// Whether an amount may be booked. What it does not ask for does not count.
    pub fn fits(&self, from: Tick, to: Tick, amount: &Resources, supply: &Resources) -> bool {
        from >= to
            || amount.stated().all(|(dimension, amount)| {
                let booked = self.levels.get(&dimension).map_or(0, |level| level.most(from, to));
                amount <= supply[dimension].saturating_sub(booked)
            })
    }

    /// The earliest start from which an amount may be booked for a length of time. None: it is more than the supply.
    pub fn earliest(
        &self,
        not_before: Tick,
        length: Span,
        amount: &Resources,
        supply: &Resources,
    ) -> Option<Tick> {
        if amount.stated().any(|(dimension, amount)| amount > supply[dimension]) {
            return None;
        }
        if length == Span::ZERO {
            return Some(not_before);
        }
        let mut start = not_before;
        // Each resource moves the start to where it has room; where none moves it, all have.
        loop {
            let before = start;
            for (dimension, amount) in amount.stated() {
                if let Some(level) = self.levels.get(&dimension) {
                    start = level.earliest(start, length, supply[dimension] - amount);
                }
            }
            if start == before {
                return Some(start);
            }
        }
    }

    /// The first instant from `from` on at which more is booked than a supply has.
    pub fn first_over(&self, from: Tick, supply: &Resources) -> Option<Tick> {
        self.levels.iter().filter_map(|(d, level)| level.first_over(from, supply[*d])).min()
    }
}

/// How much is booked of one resource, as its changes.
#[derive(Clone, Debug, Default)]
struct Level {
    /// Ascending, none empty.
    blocks: Vec<Block>,
}

/// Two are the same when they say the same of each instant, however they are cut.
impl PartialEq for Level {
    fn eq(&self, other: &Level) -> bool {
        self.changes().eq(other.changes())
    }
}

impl Eq for Level {}

/// Changes of a level, ascending: no instant twice, no change by zero.
#[derive(Clone, Debug)]
struct Block {
    first: Tick,
    last: Tick,
    /// Of all changes.
    sum: i64,
    /// Highest and lowest of the level after each change, where it was zero before the first.
    high: i64,
    low: i64,
    changes: Arc<Vec<(Tick, i64)>>,
}

impl Block {
    /// None of nothing.
    fn of(changes: Arc<Vec<(Tick, i64)>>) -> Option<Block> {
        let (first, last) = (changes.first()?.0, changes.last()?.0);
        let (mut sum, mut high, mut low) = (0, i64::MIN, i64::MAX);
        for (_, change) in changes.iter() {
            sum += change;
            high = high.max(sum);
            low = low.min(sum);
        }
        Some(Block { first, last, sum, high, low, changes })
    }
}

impl Level {
    fn changes(&self) -> impl Iterator<Item = (Tick, i64)> {
        self.blocks.iter().flat_map(|block| block.changes.iter().copied())
    }

    fn add(&mut self, at: Tick, change: i64) {
        // The block that holds the instant, or the one before: only the very first instants lie before all blocks.
        let index = self.blocks.partition_point(|block| block.first <= at).saturating_sub(1);
        let Some(block) = self.blocks.get_mut(index) else {
            self.blocks.extend(Block::of(Arc::new(vec![(at, change)])));
            return;
        };
        let mut held = std::mem::take(&mut block.changes);
        let changes = Arc::make_mut(&mut held);
        match changes.binary_search_by_key(&at, |change| change.0) {
            Ok(place) if changes[place].1 == -change => {
                changes.remove(place);
            }
            Ok(place) => changes[place].1 += change,
            Err(place) => changes.insert(place, (at, change)),
        }
        if changes.len() < BLOCK / 4
            && let Some(next) = self.blocks.get(index + 1)
            && next.changes.len() < BLOCK / 2
        {
            changes.extend(next.changes.iter());
            self.blocks.remove(index + 1);
        }
        let rest = if changes.len() > BLOCK { changes.split_off(BLOCK / 2) } else { Vec::new() };
        let new = [Block::of(held), Block::of(Arc::new(rest))];
        drop(self.blocks.splice(index..=index, new.into_iter().flatten()));
    }

    fn most(&self, from: Tick, to: Tick) -> i64 {
        if from >= to {
            return 0;
        }
        let (mut level, mut most) = (0, 0);
        for block in &self.blocks {
            if block.first >= to {
                break;
            }
            if block.last <= from {
                level += block.sum;
                most = level;
            } else if block.first > from && block.last < to {
                most = most.max(level + block.high);
                level += block.sum;
            } else {
                for (at, change) in block.changes.iter().take_while(|change| change.0 < to) {
                    level += change;
                    most = if *at <= from { level } else { most.max(level) };
                }
            }
        }
        most
    }

    /// The earliest start, not before `start`, of a time of this length in which the level is at most `room`.
    fn earliest(&self, start: Tick, length: Span, room: i64) -> Tick {
        // Since when there has been room, if there is.
        let mut since = Some(start);
        let mut level = 0;
        for block in &self.blocks {
            if since.is_some_and(|since| block.first >= since.after(length)) {
                break;
            }
            let stays = block.last <= start
                || block.first > start
                    && if since.is_some() { level + block.high <= room } else { level + block.low > room };
            if stays {
                level += block.sum;
                if block.last <= start {
                    since = (level <= room).then_some(start);
                }
                continue;
            }
            for (at, change) in block.changes.iter() {
                if since.is_some_and(|since| *at > start && *at >= since.after(length)) {
                    break;
                }
                level += change;
                since = match (level <= room, since) {
                    (true, Some(since)) => Some(since),
                    (true, None) => Some((*at).max(start)),
                    (false, _) => None,
                };
            }
            if since.is_some_and(|since| block.last >= since.after(length)) {
                break;
            }
        }
        // After all bookings there is room.
        since.unwrap_or(start)
    }

    fn first_over(&self, from: Tick, most: i64) -> Option<Tick> {
        let mut level = 0;
        for block in &self.blocks {
            if block.last <= from || level <= most && level + block.high <= most {
                level += block.sum;
                continue;
            }
            for (at, change) in block.changes.iter() {
                // Only the level at `from` can be too high here: what rises later is found where it does.
                if *at > from && level > most {
                    return Some(from);
                }
                level += change;
                if *at >= from && level > most {
                    return Some(*at);
                }
            }
        }
        None
    }
}
