//! Back through the log: the entries that somebody asked for, newest first.

use crate::core::entry::Body;
use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;
use std::ops::ControlFlow;
use tidegate_engine::ids::Tick;
use tidegate_store::{Reader, StoreError, StoredEntry};

/// Events that one step goes back.
const STEP: u64 = 256;
/// Entries read at once: a step of large entries is read in parts, so that little of it is read in vain.
const BATCH: usize = 64;
/// Entries that are looked at for one page: a filter that nothing passes does not read the whole log at once.
const MAX_LOOKED_AT: usize = 20_000;

/// Which entries are wanted.
#[derive(Clone, Debug)]
pub struct Wanted {
    pub user: Option<String>,
    pub operation: Option<String>,
    /// Not before.
    pub since: Tick,
    /// Not after.
    pub until: Tick,
}

/// An entry that somebody asked for.
#[derive(Debug)]
pub struct Asked {
    pub first: u64,
    pub at: Tick,
    pub body: Body,
}

impl Asked {
    /// How something was that an event changed, where the event itself does not tell.
    pub fn was(&self, number: u64) -> Option<&Value> {
        let place = number.checked_sub(self.first)?;
        self.body.was.iter().find(|(at, _)| u64::from(*at) == place).map(|(_, was)| was)
    }
}

/// The head of an entry: enough to pass over most of them without reading their events.
#[derive(Deserialize)]
struct Glance<'a> {
    #[serde(borrow)]
    by: Cow<'a, str>,
    #[serde(borrow)]
    operation: Cow<'a, str>,
    #[serde(default)]
    request: Option<serde::de::IgnoredAny>,
}

impl Wanted {
    /// The entry, if somebody asked for it and it is wanted. Timers and reports of the executor have no request.
    fn pick(&self, entry: &StoredEntry) -> Option<Asked> {
        let glance: Glance<'_> = serde_json::from_slice(&entry.body).ok()?;
        glance.request?;
        let is = |filter: &Option<String>, found: &str| filter.as_ref().is_none_or(|wanted| wanted == found);
        if !is(&self.user, &glance.by) || !is(&self.operation, &glance.operation) {
            return None;
        }
        let body = Body::decode(&entry.body).ok()?;
        Some(Asked { first: entry.first, at: Tick(entry.at), body })
    }

    /// Hands out wanted entries below an event, the latest first, until it is told to stop or has looked at enough.
    /// Where to go on; `None` at the end of what there is.
    pub fn back(
        &self,
        reader: &dyn Reader,
        below: u64,
        mut hand: impl FnMut(Asked) -> ControlFlow<()>,
    ) -> Result<Option<u64>, StoreError> {
        let head = reader.head()?;
        let mut below = below.min(head.next).min(end_of(reader, head.base, head.next, self.until)?);
        let mut looked_at = 0;
        while below > head.base {
            let step = match step(reader, below.saturating_sub(STEP).max(head.base), below) {
                // It was archived this moment.
                Err(StoreError::Archived { .. }) => return Ok(None),
                step => step?,
            };
            if step.is_empty() {
                return Ok(None);
            }
            for entry in step.into_iter().rev() {
                if entry.at < self.since.0 {
                    return Ok(None);
                }
                below = entry.first;
                looked_at += 1;
                let enough = self.pick(&entry).is_some_and(|asked| hand(asked).is_break());
                if enough || looked_at >= MAX_LOOKED_AT {
                    return Ok((below > head.base).then_some(below));
                }
            }
        }
        Ok(None)
    }
}

/// Entries with events from `from` up to `below`, oldest first.
fn step(reader: &dyn Reader, mut from: u64, below: u64) -> Result<Vec<StoredEntry>, StoreError> {
    let mut found = Vec::new();
    while from < below {
        let entries = reader.entries(from, BATCH)?;
        let Some(last) = entries.last() else { break };
        from = last.next();
        found.extend(entries.into_iter().filter(|entry| entry.first < below));
    }
    Ok(found)
}

/// The number after the last event that is not after a time: found by halves, as times ascend.
fn end_of(reader: &dyn Reader, base: u64, next: u64, until: Tick) -> Result<u64, StoreError> {
    let (mut low, mut high) = (base, next);
    if until == Tick(u64::MAX) {
        return Ok(next);
    }
    while low < high {
        let middle = low + (high - low) / 2;
        match reader.entries(middle, 1)?.first() {
            Some(entry) if entry.at > until.0 => high = entry.first,
            Some(entry) => low = entry.next(),
            None => high = middle,
        }
    }
    Ok(low)
}
