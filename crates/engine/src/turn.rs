//! Order between queues within a round.

use crate::ids::{Tick, WorkloadId};
use crate::words::Priority;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// Ordering is the order of the fields, top to bottom; the smallest comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Turn {
    /// The shallower quota.
    pub(crate) depth: u8,
    pub(crate) priority: Reverse<Priority>,
    pub(crate) drawn: Ratio,
    pub(crate) enqueued: Tick,
    pub(crate) workload: WorkloadId,
}

impl Turn {
    /// Before everybody.
    pub(crate) const FIRST: Turn = Turn {
        depth: 0,
        priority: Reverse(Priority::MAX),
        drawn: Ratio { used: i64::MIN, of: 1 },
        enqueued: Tick::ZERO,
        workload: WorkloadId(0),
    };
}

/// Drawn relative to guarantee; compared exactly.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Ratio {
    pub(crate) used: i64,
    pub(crate) of: i64,
}

impl Ord for Ratio {
    fn cmp(&self, other: &Ratio) -> std::cmp::Ordering {
        let cross = |a: &Ratio, b: &Ratio| i128::from(a.used) * i128::from(b.of.max(1));
        cross(self, other).cmp(&cross(other, self))
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Ratio) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ratio {
    fn eq(&self, other: &Ratio) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ratio {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_compare_exactly() {
        assert!(Ratio { used: 1, of: 3 } < Ratio { used: 334, of: 1000 });
        assert_eq!(Ratio { used: 2, of: 4 }, Ratio { used: 1, of: 2 });
        assert_eq!(Ratio { used: 0, of: 0 }, Ratio { used: 0, of: 5 });
    }
}
