//! Who fails again and again starts later and later.

use serde::{Deserialize, Serialize};

/// The first wait; each further one is twice as long.
const FIRST: u64 = 1_000;
/// The longest.
const LONGEST: u64 = 60_000;
/// Who ran for so long has not failed in a row.
const LONG_RUN: u64 = 600_000;

/// What is known of the runs of one workload.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Runs {
    /// The latest run.
    pub(super) latest: u64,
    /// How many there were before it.
    pub(super) before: u32,
    /// So many failed in a row.
    pub(super) failed: u32,
    /// The latest of them.
    pub(super) failed_run: u64,
}

impl Runs {
    /// A run begins. Whether it was not known yet.
    pub(super) fn begin(&mut self, run: u64) -> bool {
        if run <= self.latest {
            return false;
        }
        self.before += u32::from(self.latest > 0);
        // Who was preempted since has not failed in a row.
        if self.failed_run != self.latest {
            self.failed = 0;
        }
        self.latest = run;
        true
    }

    pub(super) fn fail(&mut self, run: u64, ran: u64) {
        self.failed_run = run;
        self.failed = in_a_row(self.failed, ran);
    }

    /// Milliseconds to wait before the next start.
    pub(super) fn wait(&self) -> u64 {
        wait(self.failed)
    }
}

/// How often it has failed in a row, with this failure after `ran` milliseconds.
pub(super) fn in_a_row(failed: u32, ran: u64) -> u32 {
    if ran >= LONG_RUN { 1 } else { failed.saturating_add(1) }
}

/// Milliseconds to wait after so many failures in a row.
pub(super) fn wait(failed: u32) -> u64 {
    match failed {
        0 => 0,
        failed => FIRST.saturating_mul(1 << (failed - 1).min(16)).min(LONGEST),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_fails_in_a_row_waits_longer() {
        let mut runs = Runs::default();
        assert!(runs.begin(7) && !runs.begin(7) && !runs.begin(6));
        assert_eq!((runs.before, runs.wait()), (0, 0));
        let waits: Vec<u64> = (0..8)
            .map(|_| {
                runs.fail(7, 10);
                runs.wait() / 1_000
            })
            .collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60]);
        runs.fail(7, LONG_RUN);
        assert_eq!(runs.wait(), 1_000);
        assert!(runs.begin(9));
        assert_eq!((runs.before, runs.wait()), (1, 1_000));
        assert!(runs.begin(11), "it was preempted");
        assert_eq!((runs.before, runs.wait()), (2, 0));
    }
}
