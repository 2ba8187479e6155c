//! One queue per quota: who is next under the quota's strategy.
//!
//! Workloads that differ in nothing but their time of arrival share a lane: where the first of a lane does
//! not fit, the others do not either, so a pass looks at lanes, not at workloads.

use crate::ids::{Tick, WorkloadId, WorkspaceId};
use crate::policy::QueuePolicy;
use crate::words::{Priority, Strategy};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Workloads of this priority or higher are worked off strictly in order under `intelligent`.
pub const STRICT_FROM: u8 = 7;
/// Ageing lifts a place in the queue up to this priority.
pub const AGED_AT_MOST: u8 = 6;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct LaneKey {
    pub(crate) priority: Reverse<Priority>,
    /// Missing replicas of a workload that runs: they block nobody.
    pub(crate) growth: bool,
    pub(crate) workspace: WorkspaceId,
    /// Equal for equal demands.
    pub(crate) shape: u32,
}

impl LaneKey {
    /// The smallest key of all.
    pub(crate) const FIRST: LaneKey =
        LaneKey { priority: Reverse(Priority::MAX), growth: false, workspace: WorkspaceId(0), shape: 0 };
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) enqueued: Tick,
    pub(crate) id: WorkloadId,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Lane {
    /// The first of its members: looked at far more often than changed.
    first: Entry,
    members: BTreeSet<Entry>,
    /// The queue's epoch in which the lane was found not to fit in any round.
    stuck: Option<u64>,
    /// The queue's epoch in which nothing but a cap held it back.
    capped: Option<u64>,
}

impl Lane {
    fn of(entry: Entry) -> Lane {
        Lane { first: entry, members: BTreeSet::new(), stuck: None, capped: None }
    }

    fn insert(&mut self, entry: Entry) {
        self.first = self.first.min(entry);
        self.members.insert(entry);
    }

    /// False if nobody is left.
    fn remove(&mut self, entry: Entry) -> bool {
        assert!(self.members.remove(&entry), "a queued workload is in its lane");
        let Some(&first) = self.members.first() else { return false };
        self.first = first;
        true
    }
}

/// Order within a queue; smaller comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    priority: Reverse<u8>,
    /// Only under `fair`: what the workspace draws now, then when it last had its turn.
    served: (i64, u64),
    entry: Entry,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Queue {
    lanes: BTreeMap<LaneKey, Lane>,
    /// Who comes first by priority and arrival, once somebody asked.
    #[serde(skip)]
    head: Option<(LaneKey, Entry)>,
    /// Arrivals not yet sorted into lanes: most start at once and never are.
    fresh: SmallVec<[(LaneKey, Entry); 1]>,
    /// Those who wait and have not been passed over yet.
    unpassed: BTreeSet<WorkloadId>,
    /// Raised whenever something changed that may let a stuck lane fit.
    epoch: u64,
    /// The latest epoch in which a lane was capped.
    capped_at: Option<u64>,
    waiting: u32,
    growing: u32,
    /// Workloads among them that accept idle capacity.
    pub(crate) idlers: i64,
    /// Under `fair`: GPUs that each workspace draws through this quota, and the number of its last turn.
    served: BTreeMap<WorkspaceId, (i64, u64)>,
    turns: u64,
    /// When those that wait were first passed over.
    pub(crate) passed: BTreeSet<(Tick, WorkloadId)>,
    pub(crate) reserved_for: Option<WorkloadId>,
}

impl Queue {
    /// Workloads that wait, growth not counted.
    pub(crate) fn waiting(&self) -> u32 {
        self.waiting
    }

    /// The first of each lane, and how many are in it; growth is left out.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = (WorkloadId, u32)> {
        let fresh = self.fresh.iter().filter(|(key, _)| !key.growth).map(|(_, entry)| (entry.id, 1));
        let lanes = self.lanes.iter().filter(|(key, _)| !key.growth);
        let first = lanes.map(|(_, lane)| (lane.first.id, lane.members.len() as u32));
        first.chain(fresh)
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.waiting == 0 && self.growing == 0
    }

    pub(crate) fn insert(&mut self, key: LaneKey, entry: Entry) {
        *(if key.growth { &mut self.growing } else { &mut self.waiting }) += 1;
        self.fresh.push((key, entry));
    }

    pub(crate) fn remove(&mut self, key: LaneKey, entry: Entry) {
        *(if key.growth { &mut self.growing } else { &mut self.waiting }) -= 1;
        if let Some(i) = self.fresh.iter().position(|f| *f == (key, entry)) {
            self.fresh.swap_remove(i);
            return;
        }
        self.unpassed.remove(&entry.id);
        self.head = self.head.filter(|head| head.1 != entry);
        let lane = self.lanes.get_mut(&key).expect("a queued workload is in its lane");
        if !lane.remove(entry) {
            self.lanes.remove(&key);
        }
    }

    pub(crate) fn serve(&mut self, workspace: WorkspaceId, gpu: i64) {
        let served = self.served.entry(workspace).or_default();
        served.0 += gpu;
        if gpu > 0 {
            self.turns += 1;
            served.1 = self.turns;
        }
    }

    pub(crate) fn serve_anew(&mut self, served: Vec<(WorkspaceId, i64)>) {
        self.served.clear();
        served.into_iter().for_each(|(w, gpu)| self.serve(w, gpu));
    }

    /// Something changed: stuck lanes are tried again.
    pub(crate) fn wake(&mut self) {
        self.epoch += 1;
    }

    pub(crate) fn epoch(&self) -> u64 {
        self.epoch
    }

    pub(crate) fn mark_stuck(&mut self, key: LaneKey) {
        let epoch = self.epoch;
        if let Some(lane) = self.lanes.get_mut(&key) {
            lane.stuck = Some(epoch);
        }
    }

    /// Nothing but a cap holds this lane back: until something changes, no strategy waits for it.
    pub(crate) fn mark_capped(&mut self, key: LaneKey) {
        self.sort();
        let epoch = self.epoch;
        if let Some(lane) = self.lanes.get_mut(&key) {
            lane.capped = Some(epoch);
            self.capped_at = Some(epoch);
        }
    }

    /// Whether a lane has a place in the line: growth has none, and nobody waits for who is capped.
    fn in_line(&self, key: LaneKey, lane: &Lane) -> bool {
        !key.growth && lane.capped != Some(self.epoch)
    }

    fn is_in_line(&self, key: LaneKey) -> bool {
        self.lanes.get(&key).map_or(!key.growth, |lane| self.in_line(key, lane))
    }

    pub(crate) fn is_stuck(&self, key: LaneKey) -> bool {
        self.lanes.get(&key).is_some_and(|l| l.stuck == Some(self.epoch))
    }

    /// Whether somebody waits for a change.
    pub(crate) fn has_stuck(&self) -> bool {
        self.lanes.values().any(|lane| lane.stuck == Some(self.epoch))
    }

    /// Sorts arrivals into their lanes.
    #[inline]
    pub(crate) fn sort(&mut self) {
        if !self.fresh.is_empty() {
            self.sort_fresh();
        }
    }

    fn sort_fresh(&mut self) {
        for (key, entry) in self.fresh.drain(..) {
            self.lanes.entry(key).or_insert_with(|| Lane::of(entry)).insert(entry);
            if self.head.is_some_and(|(k, e)| (key.priority, entry) < (k.priority, e)) {
                self.head = Some((key, entry));
            }
            if !key.growth {
                self.unpassed.insert(entry.id);
            }
        }
    }

    /// Those who wait, may be tried, and have not been passed over before.
    pub(crate) fn newly_passed(&self, policy: &QueuePolicy, now: Tick) -> SmallVec<[WorkloadId; 1]> {
        if self.unpassed.is_empty() {
            return SmallVec::new();
        }
        let new = |id: &WorkloadId| self.unpassed.contains(id);
        match self.window(policy, now) {
            None if self.capped_at != Some(self.epoch) => self.unpassed.iter().copied().collect(),
            None => self.line(policy, now).filter(new).collect(),
            Some(1) => self.first(policy, now).map(|f| f.1).into_iter().filter(new).collect(),
            Some(n) => self.line(policy, now).take(n as usize).filter(new).collect(),
        }
    }

    /// A workload that waits was passed over at `at`.
    pub(crate) fn pass_over(&mut self, at: Tick, id: WorkloadId) {
        self.sort();
        self.unpassed.remove(&id);
        self.passed.insert((at, id));
    }

    fn place(&self, policy: &QueuePolicy, now: Tick, key: LaneKey, entry: Entry) -> Place {
        let submitted = key.priority.0.get();
        let mut priority = submitted;
        if policy.strategy == Strategy::Intelligent && submitted < STRICT_FROM && policy.aging_step.0 > 0 {
            let steps = now.since(entry.enqueued).0 / policy.aging_step.0;
            priority = u64::from(submitted)
                .saturating_add(steps)
                .min(u64::from(AGED_AT_MOST))
                .max(u64::from(submitted)) as u8;
        }
        let served = match policy.strategy {
            Strategy::Fair => self.served.get(&key.workspace).copied().unwrap_or_default(),
            _ => (0, 0),
        };
        Place { priority: Reverse(priority), served, entry }
    }

    /// Who is to be tried next: the first in order whose lane has not `failed`, as far as the strategy lets one
    /// look past those that have. Nobody waits for lanes that are set `aside`.
    pub(crate) fn next(
        &mut self,
        policy: &QueuePolicy,
        now: Tick,
        failed: impl Fn(LaneKey) -> bool,
        aside: impl Fn(LaneKey) -> bool,
    ) -> Option<(LaneKey, Entry)> {
        if self.lanes.is_empty() && self.fresh.len() == 1 {
            let (key, entry) = self.fresh[0];
            return (!failed(key)).then_some((key, entry));
        }
        self.sort();
        // Most queues have one lane: whatever the window, it begins there.
        if self.lanes.len() <= 1 {
            let (&key, lane) = self.lanes.first_key_value()?;
            return (lane.stuck != Some(self.epoch) && !failed(key)).then_some((key, lane.first));
        }
        if self.is_plain(policy) {
            let first = |q: &Queue| q.lanes.iter().map(|(k, l)| (k.priority, l.first, *k)).min();
            let (key, entry) = self.head.or_else(|| first(self).map(|(_, e, k)| (k, e)))?;
            debug_assert_eq!(first(self), Some((key.priority, entry, key)), "who comes first is known");
            self.head = Some((key, entry));
            if !aside(key) {
                return (!self.is_stuck(key) && !failed(key)).then_some((key, entry));
            }
        }
        let is_strict = match self.window_past(policy, now, &aside) {
            Some(1) => true,
            Some(n) => return self.next_within(policy, now, n, failed, aside),
            None => false,
        };
        // The first in line: nobody behind it is tried.
        let mut barrier: Option<Place> = None;
        let mut best: Option<(Place, LaneKey)> = None;
        for (&key, lane) in &self.lanes {
            let place = self.place(policy, now, key, lane.first);
            let comes_before = |other: Option<Place>| other.is_none_or(|other| place < other);
            let ahead = comes_before(barrier);
            if is_strict && ahead && self.in_line(key, lane) && !aside(key) {
                barrier = Some(place);
            }
            if ahead && comes_before(best.map(|b| b.0)) && lane.stuck != Some(self.epoch) && !failed(key) {
                best = Some((place, key));
            }
        }
        let best = best.filter(|(place, _)| barrier.is_none_or(|barrier| *place <= barrier));
        best.map(|(place, key)| (key, place.entry))
    }

    /// Everybody waits for the first by priority and arrival.
    fn is_plain(&self, policy: &QueuePolicy) -> bool {
        policy.strategy == Strategy::Fifo && self.growing == 0 && self.capped_at != Some(self.epoch)
    }

    /// The first of each lane: where they do not fit, nobody does.
    pub(crate) fn heads(&mut self) -> SmallVec<[WorkloadId; 4]> {
        self.sort();
        self.firsts().collect()
    }

    /// The same, and whoever has just arrived.
    pub(crate) fn firsts(&self) -> impl Iterator<Item = WorkloadId> + '_ {
        let lanes = self.lanes.values().map(|lane| &lane.first);
        lanes.chain(self.fresh.iter().map(|f| &f.1)).map(|entry| entry.id)
    }

    /// How many of the first that wait may be tried; `None` is all.
    pub(crate) fn window(&self, policy: &QueuePolicy, now: Tick) -> Option<u32> {
        self.window_past(policy, now, |_| false)
    }

    fn window_past(&self, policy: &QueuePolicy, now: Tick, aside: impl Fn(LaneKey) -> bool) -> Option<u32> {
        match policy.strategy {
            Strategy::Fifo => Some(1),
            Strategy::RoundRobin | Strategy::Fair => None,
            Strategy::Intelligent => {
                // Lanes of higher priority come first.
                let mut strict = self.lanes.iter().take_while(|(k, _)| k.priority.0.get() >= STRICT_FROM);
                strict.any(|(k, l)| self.in_line(*k, l) && !aside(*k)).then_some(1)
            }
            Strategy::Balance => {
                let head = self.first_past(policy, now, aside)?.1;
                let since = self.passed.iter().find(|p| p.1 == head).map(|p| p.0);
                let wider = since.map_or(0, |s| now.since(s).0 / policy.patience.0.max(1));
                Some(u32::try_from(wider).unwrap_or(u32::MAX).saturating_add(1))
            }
        }
    }

    /// Under `balance`: when the window widens next for a head first passed over at `since`.
    pub(crate) fn widens_at(policy: &QueuePolicy, since: Tick, now: Tick) -> Tick {
        let patience = policy.patience.0.max(1);
        Tick(since.0.saturating_add((now.since(since).0 / patience + 1).saturating_mul(patience)))
    }

    /// The first that waits, growth aside.
    fn first(&self, policy: &QueuePolicy, now: Tick) -> Option<(Place, WorkloadId)> {
        if self.is_plain(policy)
            && let Some((key, entry)) = self.head
        {
            return Some((self.place(policy, now, key, entry), entry.id));
        }
        self.first_past(policy, now, |_| false)
    }

    fn first_past(
        &self,
        policy: &QueuePolicy,
        now: Tick,
        aside: impl Fn(LaneKey) -> bool,
    ) -> Option<(Place, WorkloadId)> {
        let heads = self.lanes.iter().filter(|(k, l)| self.in_line(**k, l) && !aside(**k));
        let places = heads.map(|(&k, l)| self.place(policy, now, k, l.first));
        places.min().map(|p| (p, p.entry.id))
    }

    pub(crate) fn head(&mut self, policy: &QueuePolicy, now: Tick) -> Option<WorkloadId> {
        self.sort();
        self.first(policy, now).map(|f| f.1)
    }

    fn next_within(
        &self,
        policy: &QueuePolicy,
        now: Tick,
        window: u32,
        failed: impl Fn(LaneKey) -> bool,
        aside: impl Fn(LaneKey) -> bool,
    ) -> Option<(LaneKey, Entry)> {
        let mut seen = 0;
        for (place, key) in self.in_order(policy, now) {
            if self.is_in_line(key) && !aside(key) {
                seen += 1;
                if seen > window {
                    return None;
                }
            }
            if !failed(key) && !self.is_stuck(key) {
                return Some((key, place.entry));
            }
        }
        None
    }

    /// Everybody in order, growth included: for windows and for people.
    fn in_order(&self, policy: &QueuePolicy, now: Tick) -> impl Iterator<Item = (Place, LaneKey)> {
        let lanes = self.lanes.iter().flat_map(|(&k, l)| l.members.iter().map(move |&e| (k, e)));
        let mut all: Vec<_> = lanes
            .chain(self.fresh.iter().copied())
            .map(|(k, e)| (self.place(policy, now, k, e), k))
            .collect();
        all.sort_unstable();
        all.into_iter()
    }

    /// All that wait, in order, growth aside.
    pub(crate) fn list(&self, policy: &QueuePolicy, now: Tick) -> Vec<WorkloadId> {
        self.in_order(policy, now).filter(|(_, k)| !k.growth).map(|(p, _)| p.entry.id).collect()
    }

    /// The same, but for those that nobody waits for.
    fn line(&self, policy: &QueuePolicy, now: Tick) -> impl Iterator<Item = WorkloadId> {
        self.in_order(policy, now).filter(|(_, k)| self.is_in_line(*k)).map(|(p, _)| p.entry.id)
    }

    /// The first in submitted order (priority, time, number), growth aside: who has the first claim on balance.
    pub(crate) fn first_claim(&self) -> Option<(Reverse<Priority>, Entry)> {
        let lanes = self.lanes.iter().map(|(k, l)| (k, l.first));
        let fresh = self.fresh.iter().map(|(k, e)| (k, *e));
        lanes.chain(fresh).filter(|(k, _)| !k.growth).map(|(k, e)| (k.priority, e)).min()
    }

    /// The same, growth included.
    pub(crate) fn first_of_all(&self) -> Option<(Reverse<Priority>, Entry)> {
        let lanes = self.lanes.iter().map(|(k, l)| (k.priority, l.first));
        lanes.chain(self.fresh.iter().map(|(k, e)| (k.priority, *e))).min()
    }

    /// The demands that are in the queue.
    pub(crate) fn shapes(&self) -> impl Iterator<Item = u32> + '_ {
        self.lanes.keys().chain(self.fresh.iter().map(|f| &f.0)).map(|k| k.shape)
    }

    /// How many wait that are worked off strictly in order.
    pub(crate) fn strict(&self) -> u32 {
        let strict = |(k, l): &(&LaneKey, &Lane)| k.priority.0.get() >= STRICT_FROM && self.in_line(**k, l);
        let lanes = self.lanes.iter().filter(strict);
        lanes.map(|(_, lane)| lane.members.len() as u32).sum()
    }
}

/// Queues are equal if the same workloads wait in them; lanes and marks are derived.
impl PartialEq for Queue {
    fn eq(&self, other: &Queue) -> bool {
        let content = |q: &Queue| {
            let lanes = q.lanes.iter().flat_map(|(&k, l)| l.members.iter().map(move |&e| (k, e)));
            lanes.chain(q.fresh.iter().copied()).collect::<BTreeSet<_>>()
        };
        content(self) == content(other)
            && self.passed == other.passed
            && self.reserved_for == other.reserved_for
    }
}

mod standing;
#[cfg(test)]
mod tests;
