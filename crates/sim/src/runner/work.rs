//! How far a workload has come: what the engine does not know and an executor would.

use smallvec::SmallVec;
use tidegate_engine::ids::{Span, Tick};

/// How a workload behaves once it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Work to be done; `None` goes on until somebody ends it.
    pub duration: Option<Span>,
    /// Saves its work each time that it has run for so long.
    pub checkpoint: Option<Span>,
    /// A victim never goes by itself.
    pub hang: bool,
}

/// One workload's progress. Work is counted in time: its size plays no part.
#[derive(Clone, Debug)]
pub(super) struct Progress {
    pub(super) work: Work,
    pub(super) grace: Span,
    /// It keeps its work when it is asked to stop.
    pub(super) suspend: bool,
    /// Work goes on, whatever becomes of single replicas.
    pub(super) service: bool,
    /// Work that no eviction can undo.
    safe: Span,
    /// Since when unsaved work is being done; `None` while it does not run.
    running_since: Option<Tick>,
    /// When its work is done, at the present run.
    pub(super) ends: Option<Tick>,
    /// When it saves its work next.
    pub(super) saves: Option<Tick>,
    /// Units that were asked to stop, and when they will be gone.
    pub(super) leaving: SmallVec<[(u32, Tick); 2]>,
}

impl Progress {
    pub(super) fn new(work: Work, grace: Span, suspend: bool, service: bool) -> Progress {
        let leaving = SmallVec::new();
        Progress {
            work,
            grace,
            suspend,
            service,
            safe: Span::ZERO,
            running_since: None,
            ends: None,
            saves: None,
            leaving,
        }
    }

    /// It starts, or starts again, with what is left to do.
    pub(super) fn start(&mut self, now: Tick) {
        self.running_since = Some(now);
        let left = |duration: Span| Span(duration.0.saturating_sub(self.safe.0));
        self.ends = self.work.duration.map(|duration| now.after(left(duration)));
        self.saves = self.work.checkpoint.map(|every| now.after(every));
    }

    /// It has come so far already. What was due before `now` is due now.
    pub(super) fn resume(&mut self, saved: Span, since: Option<Tick>, now: Tick) {
        self.safe = saved;
        if let Some(since) = since {
            self.start(since);
            self.ends = self.ends.map(|at| at.max(now));
            self.saves = self.saves.map(|at| at.max(now));
        }
    }

    /// It stops running; what it did since the last save is lost.
    pub(super) fn halt(&mut self) {
        self.running_since = None;
        self.ends = None;
        self.saves = None;
    }

    /// What it did up to `at` is safe.
    pub(super) fn save(&mut self, at: Tick) {
        if let Some(since) = self.running_since.filter(|since| at > *since) {
            self.safe = Span(self.safe.0.saturating_add(at.since(since).0));
            self.running_since = Some(at);
        }
    }

    /// A checkpoint was reached: the next one is an interval later.
    pub(super) fn saved_on_time(&mut self, now: Tick) {
        self.save(now);
        self.saves = self.work.checkpoint.map(|every| now.after(every));
    }

    pub(super) fn runs(&self) -> bool {
        self.running_since.is_some()
    }

    /// A unit that was to leave at `at` is gone, unless it went before.
    pub(super) fn leaves_at(&self, unit: u32, at: Tick) -> bool {
        self.leaving.contains(&(unit, at))
    }

    pub(super) fn gone(&mut self, units: &[u32]) {
        self.leaving.retain(|(unit, _)| !units.contains(unit));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn training(checkpoint: Option<Span>) -> Progress {
        let work = Work { duration: Some(Span::hours(10)), checkpoint, hang: false };
        Progress::new(work, Span::ZERO, false, false)
    }

    fn hour(h: u64) -> Tick {
        Tick::ZERO.after(Span::hours(h))
    }

    #[test]
    fn unsaved_work_is_done_again() {
        let mut job = training(None);
        job.start(hour(0));
        job.halt();
        job.start(hour(7));
        assert_eq!(job.ends, Some(hour(17)));
    }

    #[test]
    fn whole_intervals_are_kept() {
        let mut job = training(Some(Span::hours(2)));
        job.start(hour(0));
        job.saved_on_time(hour(2));
        job.saved_on_time(hour(4));
        assert_eq!((job.ends, job.saves), (Some(hour(10)), Some(hour(6))));
        job.halt();
        job.start(hour(20));
        assert_eq!((job.ends, job.saves), (Some(hour(26)), Some(hour(22))));
    }
}
