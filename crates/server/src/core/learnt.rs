//! How long tasks of a version of a template waited and ran: what is told to whoever submits the next.

use super::shell::WorkloadRecord;
use std::collections::{BTreeMap, VecDeque};
use tidegate_api::task::TaskRun;
use tidegate_engine::ids::Span;

/// Runs that are kept of each version: enough for a median, and few enough to follow what changes.
pub const REMEMBERED: usize = 32;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Learnt {
    by: BTreeMap<(Box<str>, u32), VecDeque<Took>>,
}

/// One that succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Took {
    wait: Span,
    run: Span,
}

/// What the latest say of the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    pub wait: Span,
    pub run: Span,
}

impl Learnt {
    pub(super) fn learn(&mut self, task: &TaskRun, record: &WorkloadRecord) {
        let (Some(first), Some(started), Some(ended)) = (record.first_started, record.started, record.ended)
        else {
            return;
        };
        let took = Took { wait: first.since(record.created), run: ended.since(started) };
        self.take(&task.template_uid, task.version, took);
    }

    fn take(&mut self, template: &str, version: u32, took: Took) {
        let known = self.by.entry((template.into(), version)).or_default();
        if known.len() == REMEMBERED {
            known.pop_front();
        }
        known.push_back(took);
    }

    /// The medians of the latest; `None` if none has succeeded that is in memory.
    pub fn estimate(&self, template: &str, version: u32) -> Option<Estimate> {
        let known = self.by.get(&(template.into(), version))?;
        let median = |of: fn(&Took) -> Span| {
            let mut all: Vec<Span> = known.iter().map(of).collect();
            all.sort_unstable();
            all.get(all.len() / 2).copied()
        };
        Some(Estimate { wait: median(|took| took.wait)?, run: median(|took| took.run)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_the_latest_counts_and_each_version_by_itself() {
        let mut learnt = Learnt::default();
        assert_eq!(learnt.estimate("tpl-0", 1), None);
        for seconds in [100, 1, 3, 2, 50] {
            let took = Took { wait: Span::seconds(seconds * 2), run: Span::seconds(seconds) };
            learnt.take("tpl-0", 1, took);
        }
        let estimate = learnt.estimate("tpl-0", 1).expect("known");
        assert_eq!((estimate.wait, estimate.run), (Span::seconds(6), Span::seconds(3)));
        for _ in 0..REMEMBERED {
            learnt.take("tpl-0", 1, Took { wait: Span(0), run: Span::seconds(9) });
        }
        assert_eq!(learnt.estimate("tpl-0", 1).map(|e| e.run), Some(Span::seconds(9)));
        assert_eq!((learnt.estimate("tpl-0", 2), learnt.estimate("tpl-1", 1)), (None, None));
    }
}
