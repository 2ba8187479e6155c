//! Work that programs say is saved: each touches a file.

use super::LocalExecutor;
use super::settling::Known;
use crate::report::Report;
use std::fs;
use tidegate_engine::ids::{Span, Tick};

/// How often it is looked whether somebody saved its work.
const EVERY: Span = Span(500);
/// Ages are measured twice, so the same save is seen at slightly different times.
const SAME_SAVE: Span = Span(20);

impl LocalExecutor {
    /// Work that was saved since the last look.
    #[allow(
        clippy::disallowed_methods,
        reason = "how long ago a file was touched is told by the machine's clock"
    )]
    pub(super) fn look_for_saves(&mut self, now: Tick, reports: &mut Vec<Report>) {
        if now.since(self.saves_looked_at) < EVERY {
            return;
        }
        self.saves_looked_at = now;
        for (&workload, known) in &mut self.workloads {
            let Some(a) = known.assignment.as_ref().filter(|a| !a.replicas.is_empty()) else { continue };
            let touched = fs::metadata(self.settings.places.saved(a)).and_then(|file| file.modified());
            // The machine's clock may not be the server's: what counts is how long ago it was.
            let age = touched.ok().and_then(|at| at.elapsed().ok());
            let Some(age) = age else { continue };
            let saved_at = Tick(now.0.saturating_sub(age.as_millis() as u64));
            let known_save = known.saved_at.max(a.saved_at);
            if saved_at > a.began && saved_at.since(known_save) > SAME_SAVE {
                known.saved_at = saved_at;
                reports.push(Report::Checkpointed { workload, run: a.run, saved_at });
            }
        }
    }

    /// When to look for saves again, if anything runs that may save its work.
    pub(super) fn next_save(&self, now: Tick) -> Option<Tick> {
        let may_save = self.workloads.values().any(Known::is_any_alive);
        may_save.then(|| self.saves_looked_at.after(EVERY).max(now))
    }
}
