//! Covering nodes: which nodes to clear, and of whom.

use super::bite::Bite;
use super::cost::LostByBand;
use super::cover::Cover;
use super::level::Level;
use super::stream::Stream;
use crate::ids::{NodeId, Tick, WorkloadId};
use crate::resources::WHOLE;
use crate::words::Priority;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// Candidates looked at beyond those that are needed, before the best nodes seen so far are taken.
const LOOK_AHEAD: usize = 256;
/// And for each place that is missing.
const LOOK_AHEAD_EACH: usize = 16;
/// Groups on one node of which all subsets are tried.
const EXACT_GROUPS: usize = 6;
/// Victims up to which single exchanges are tried, and candidates that are tried for them.
const IMPROVE_VICTIMS: usize = 16;
const IMPROVE_CANDIDATES: usize = 24;

/// What clearing a node for one more replica costs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Bid {
    lost: LostByBand,
    units: usize,
    /// The latest start among them, and the lowest id.
    started: Reverse<Tick>,
    workload: WorkloadId,
    node: NodeId,
}

/// Units that leave together, as far as one node is concerned.
#[derive(Clone, Debug)]
struct Group {
    bite: Bite,
    band: Priority,
    lost: u128,
}

impl Cover<'_, '_> {
    /// Clears nodes until all replicas have a place, the cheapest nodes first.
    pub(super) fn cover_nodes(&mut self, level: Level) -> Option<()> {
        if self.missing_slots() == 0 {
            return Some(());
        }
        let hunt = self.hunt;
        let mut stream = Stream::new(hunt, level);
        let mut bids: BinaryHeap<Reverse<Bid>> = BinaryHeap::new();
        let mut seen: BTreeSet<NodeId> = BTreeSet::new();
        let mut visited = 0;
        let missing = self.missing_slots() as usize;
        let limit = LOOK_AHEAD + LOOK_AHEAD_EACH * missing;
        let mut sure = 0;
        let mut settled: Vec<Bid> = Vec::new();
        loop {
            // Nodes not seen yet cost at least as much as the next candidate alone.
            for unit in stream.by_ref() {
                visited += 1;
                let u = &hunt.s.units[unit];
                let mut floor = LostByBand::default();
                floor.add(u.priority, u.lost(hunt.now));
                for slot in &u.grant.slots {
                    if seen.insert(slot.node) && hunt.may_use(slot.node) {
                        bids.extend(self.bid(level, slot.node).map(|b| Reverse(b.0)));
                    }
                }
                while bids.peek().is_some_and(|b| b.0.lost <= floor) {
                    settled.extend(bids.pop().map(|b| b.0));
                    sure += 1;
                }
                if sure >= missing || (visited >= limit && sure + bids.len() >= missing) {
                    break;
                }
            }
            bids.extend(settled.drain(..).map(Reverse));
            sure = 0;
            if !self.take_bids(level, &mut bids, &mut seen) {
                // Whatever the candidates seen so far offer is used up.
                let before = visited;
                visited = 0;
                if before == 0 {
                    return None;
                }
                continue;
            }
            return Some(());
        }
    }

    /// Takes the cheapest bids until nothing is missing. False if they run out.
    fn take_bids(
        &mut self,
        level: Level,
        bids: &mut BinaryHeap<Reverse<Bid>>,
        seen: &mut BTreeSet<NodeId>,
    ) -> bool {
        let hunt = self.hunt;
        while self.missing_slots() > 0 {
            let Some(Reverse(bid)) = bids.pop() else { return false };
            // The bid may be out of date: units of it may have been chosen for another node.
            let Some((now, groups)) = self.bid(level, bid.node) else { continue };
            if now > bid && bids.peek().is_some_and(|b| b.0 < now) {
                bids.push(Reverse(now));
                continue;
            }
            let mut touched: BTreeSet<NodeId> = BTreeSet::from([bid.node]);
            for group in groups {
                let of = hunt.s.units[group.bite[0].0].workload;
                for (unit, named) in group.bite {
                    touched.extend(hunt.s.units[unit].grant.slots.iter().map(|s| s.node));
                    if !self.is_chosen(unit) {
                        self.choose(unit, named);
                    }
                }
                // At its minimum, what is left of a workload leaves together: its nodes offer more than before.
                if self.spared_units(of).count() as u32 <= hunt.s.w(of).spec.min() {
                    let left = self.spared_units(of).flat_map(|unit| &hunt.s.units[unit].grant.slots);
                    touched.extend(left.map(|s| s.node));
                }
            }
            for node in touched {
                if hunt.may_use(node) {
                    seen.insert(node);
                    bids.extend(self.bid(level, node).map(|b| Reverse(b.0)));
                }
            }
        }
        true
    }

    /// The cheapest way to place one more replica on a node.
    fn bid(&self, level: Level, node: NodeId) -> Option<(Bid, Vec<Group>)> {
        let hunt = self.hunt;
        let shape = hunt.roles[0].shape;
        let capacity = self.capacity(node);
        let target = capacity.fits(&shape).saturating_add(1);
        let mut groups = self.groups(level, node);
        // A workload's replicas may be offered one by one and all together.
        let mut units: SmallVec<[u32; 16]> = SmallVec::new();
        let mut enough = |chosen: &[&Group]| {
            units.clear();
            units.extend(chosen.iter().flat_map(|g| &g.bite).map(|b| b.0));
            units.sort_unstable();
            units.dedup();
            let mut c = capacity.clone();
            for unit in &units {
                hunt.give_back_at(node, *unit, &mut c);
            }
            c.fits(&shape) >= target
        };
        let key = |g: &Group| {
            let u = &hunt.s.units[g.bite[0].0];
            (g.band, g.lost, Reverse(u.started), u.workload, u.number)
        };
        groups.sort_by_key(key);
        let price = |chosen: &[&Group]| {
            let mut lost = LostByBand::default();
            chosen.iter().for_each(|g| lost.add(g.band, g.lost));
            let all = chosen.iter().flat_map(|g| &g.bite).map(|b| &hunt.s.units[b.0]);
            let started = Reverse(all.clone().map(|u| u.started).max().unwrap_or_default());
            let workload = all.clone().map(|u| u.workload).min().unwrap_or(WorkloadId(u32::MAX));
            Bid { lost, units: all.count(), started, workload, node }
        };
        let mut best: Option<(Bid, Vec<&Group>)> = None;
        // Whole devices of equal number are worth the same; parts are worth what else is on their device.
        let equal = groups.windows(2).all(|p| {
            let (a, b) = (&hunt.s.units[p[0].bite[0].0], &hunt.s.units[p[1].bite[0].0]);
            p[0].bite.len() == 1 && a.gpu == b.gpu && a.gpu >= i64::from(WHOLE)
        });
        if groups.len() <= EXACT_GROUPS && !equal {
            for mask in 1u32..1 << groups.len() {
                let chosen: Vec<&Group> =
                    groups.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1).map(|(_, g)| g).collect();
                let bid = price(&chosen);
                if best.as_ref().is_none_or(|(b, _)| bid < *b) && enough(&chosen) {
                    best = Some((bid, chosen));
                }
            }
        } else {
            let mut chosen: Vec<&Group> = Vec::new();
            let mut c = capacity.clone();
            let mut gone: BTreeSet<u32> = BTreeSet::new();
            for g in &groups {
                chosen.push(g);
                for (unit, _) in g.bite.iter().filter(|b| gone.insert(b.0)) {
                    hunt.give_back_at(node, *unit, &mut c);
                }
                if c.fits(&shape) >= target {
                    break;
                }
            }
            if c.fits(&shape) < target {
                return None;
            }
            if !equal {
                for i in (0..chosen.len()).rev() {
                    let g = chosen.remove(i);
                    if !enough(&chosen) {
                        chosen.insert(i, g);
                    }
                }
            }
            best = Some((price(&chosen), chosen));
        }
        best.map(|(bid, chosen)| (bid, chosen.into_iter().cloned().collect()))
    }

    /// Who may leave a node, by who must leave together.
    fn groups(&self, level: Level, node: NodeId) -> Vec<Group> {
        let hunt = self.hunt;
        let s = hunt.s;
        let mut groups = Vec::new();
        let mut bitten: BTreeMap<WorkloadId, u32> = BTreeMap::new();
        let mut whole_of: BTreeSet<WorkloadId> = BTreeSet::new();
        let residents = s.pools[hunt.pool.index()].nodes.residents(node).iter().map(|r| r.unit);
        let named = residents.filter(|&unit| s.units.get(unit).is_some_and(|u| hunt.might_name(u)));
        // Of replicas of one workload the first are offered one by one: which ones they are rests on their numbers.
        let mut replicas: SmallVec<[u32; 16]> =
            named.clone().filter(|&unit| s.units[unit].is_replica).collect();
        replicas.sort_unstable_by_key(|&unit| s.key(unit));
        for unit in named.filter(|&unit| !s.units[unit].is_replica).chain(replicas) {
            if self.is_chosen(unit) {
                continue;
            }
            let u = &s.units[unit];
            let Some(bite) = self.bite(level, unit) else { continue };
            let mut lost = self.loss(&bite);
            if u.is_replica {
                let before = bitten.entry(u.workload).or_default();
                let all = self.spared_units(u.workload).count();
                let whole = bite.len() == all;
                if *before > 0 && (whole || all as u32 - *before <= s.w(u.workload).spec.min()) {
                    // The others may go one by one down to the minimum; this one only with all of them.
                    if whole_of.insert(u.workload)
                        && let Some(bite) = self.whole(level, u.workload)
                    {
                        let lost = self.loss(&bite);
                        groups.push(Group { bite, band: u.priority, lost });
                    }
                    continue;
                }
                if *before > 0 && u.module == crate::words::Module::Training {
                    lost = 0;
                }
                *before += 1;
            }
            groups.push(Group { bite, band: u.priority, lost });
        }
        groups
    }

    /// Tries single exchanges: one more victim may spare several, or a dearer one.
    pub(super) fn improve(&mut self, level: Level) {
        let hunt = self.hunt;
        if self.victims().count() < 2 || self.victims().count() > IMPROVE_VICTIMS {
            return;
        }
        let candidates: Vec<u32> =
            Stream::new(hunt, level).filter(|&u| !self.is_chosen(u)).take(IMPROVE_CANDIDATES).collect();
        let mut cost = self.cost();
        for unit in candidates {
            if self.is_chosen(unit) {
                continue;
            }
            let Some(bite) = self.bite(level, unit) else { continue };
            let mut other = self.clone();
            other.choose_all(bite);
            other.prune_by(|u, _| u == unit, Cover::is_enough);
            other.settle_names();
            let price = other.cost();
            let sound = || hunt.is_forced() || other.pays_without_bystanders();
            if price < cost && other.is_of_its_tiers() && other.is_within(level) && sound() {
                (*self, cost) = (other, price);
            }
        }
    }
}
