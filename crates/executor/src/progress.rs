//! How far one workload has come, as far as the log tells.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use tidegate_engine::ids::{Span, Tick};

/// How far one workload has come. Work is counted in time: its size plays no part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Number of the event that changed its assignment last.
    pub generation: u64,
    /// Work that no eviction can undo.
    pub saved: Span,
    /// Since when unsaved work is being done.
    pub saved_at: Tick,
    /// `None` while nothing of it runs but what was asked to leave.
    pub run: Option<Run>,
    /// Its units that run or leave, by number.
    pub(crate) units: Vec<UnitRun>,
}

/// A run of a workload as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// Number of the event that began it.
    pub number: u64,
    pub began: Tick,
    /// Work that was saved before.
    pub saved: Span,
}

/// Which run a unit belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct UnitRun {
    pub(crate) unit: u32,
    pub(crate) run: u64,
    pub(crate) since: Tick,
    /// It was asked to leave.
    pub(crate) leaves: bool,
}

impl Progress {
    pub(crate) fn unit(&self, unit: u32) -> Option<&UnitRun> {
        let at = self.units.binary_search_by_key(&unit, |u| u.unit).ok()?;
        Some(&self.units[at])
    }

    /// Units start, as part of the present run or on their own.
    pub(crate) fn add(&mut self, run: u64, since: Tick, units: impl Iterator<Item = u32>) {
        for unit in units {
            let started = UnitRun { unit, run, since, leaves: false };
            match self.units.binary_search_by_key(&unit, |u| u.unit) {
                Ok(at) => self.units[at] = started,
                Err(at) => self.units.insert(at, started),
            }
        }
    }

    pub(crate) fn ask_to_leave(&mut self, units: &[u32]) {
        for unit in units {
            if let Ok(at) = self.units.binary_search_by_key(unit, |u| u.unit) {
                self.units[at].leaves = true;
            }
        }
    }

    pub(crate) fn remove(&mut self, units: &[u32]) {
        let gone: BTreeSet<u32> = units.iter().copied().collect();
        self.units.retain(|u| !gone.contains(&u.unit));
    }

    /// All that is not leaving starts, or starts again, with what is left to do.
    pub(crate) fn begin(&mut self, run: u64, now: Tick) {
        self.run = Some(Run { number: run, began: now, saved: self.saved });
        self.saved_at = now;
        for u in self.units.iter_mut().filter(|u| !u.leaves) {
            (u.run, u.since) = (run, now);
        }
    }

    /// It stops running; what it did since the last save is lost.
    pub(crate) fn halt(&mut self) {
        self.run = None;
    }

    /// What it did up to `at` is safe.
    pub(crate) fn save(&mut self, at: Tick) {
        if self.run.is_some() && at > self.saved_at {
            self.saved = Span(self.saved.0.saturating_add(at.since(self.saved_at).0));
            self.saved_at = at;
        }
    }
}
