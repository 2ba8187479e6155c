//! How many stand before somebody: in the queue as people see it, and in the line of those who wait for each other.

use super::{Entry, Lane, LaneKey, Queue};
use crate::ids::{Tick, WorkloadId};
use crate::policy::QueuePolicy;

impl Queue {
    /// How many stand before a workload in [`Queue::list`].
    pub(crate) fn before(&self, policy: &QueuePolicy, now: Tick, key: LaneKey, entry: Entry) -> u32 {
        self.count_before(policy, now, key, entry, |k, _| !k.growth)
    }

    /// How many stand before a workload in the line of those who wait for each other, and who is first there.
    pub(crate) fn ahead_of(
        &self,
        policy: &QueuePolicy,
        now: Tick,
        key: LaneKey,
        entry: Entry,
    ) -> (u32, Option<WorkloadId>) {
        let ahead = self.count_before(policy, now, key, entry, |k, lane| self.in_line(k, lane));
        (ahead, self.first(policy, now).map(|f| f.1))
    }

    fn count_before(
        &self,
        policy: &QueuePolicy,
        now: Tick,
        key: LaneKey,
        entry: Entry,
        counts: impl Fn(LaneKey, &Lane) -> bool,
    ) -> u32 {
        let mine = self.place(policy, now, key, entry);
        let mut ahead = 0;
        for (&k, lane) in self.lanes.iter().filter(|(k, l)| counts(**k, l)) {
            // Within a lane places are in order of arrival.
            let before = |e: &Entry| self.place(policy, now, k, *e) < mine;
            ahead += match lane.members.last() {
                Some(last) if before(last) => lane.members.len(),
                Some(last) if *last == entry => lane.members.len() - 1,
                _ => lane.members.iter().take_while(|e| before(e)).count(),
            };
        }
        let fresh = self.fresh.iter().filter(|(k, e)| !k.growth && self.place(policy, now, *k, *e) < mine);
        ahead as u32 + fresh.count() as u32
    }
}
