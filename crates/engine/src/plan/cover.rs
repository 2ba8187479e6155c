//! A set of victims in the making: what it frees in both books, and whether that is enough.

use super::bite::Bite;
use super::cost::{LostByBand, PlanCost};
use super::hunt::Hunt;
use super::level::{Level, Named, RECALL};
use super::stream::Stream;
use crate::funding::{self, Credits};
use crate::ids::{NodeId, WorkloadId};
use crate::nodes::{Ask, Capacity};
use crate::resources::{ModelSet, WHOLE};
use crate::slot::Slot;
use crate::unit::{Draw, Unit, UnitState};
use crate::words::Module;
use crate::workload::Role;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Devices that a node has at most, as a rule.
const DEVICES: u32 = 16;

#[derive(Clone, Debug)]
pub(super) struct Trial {
    pub(super) capacity: Capacity,
    pub(super) usable: bool,
    pub(super) fits: u32,
    /// Units of the plan that give something back here.
    pub(super) freed: u32,
}

#[derive(Clone, Debug)]
pub(super) struct Cover<'h, 'a> {
    pub(super) hunt: &'h Hunt<'a>,
    /// In the order in which they were chosen.
    pub(super) chosen: Vec<(u32, Named)>,
    members: BTreeSet<u32>,
    /// Chosen units by workload, where replicas go one by one.
    pub(super) bitten: BTreeMap<WorkloadId, u32>,
    /// Chosen units that tiers 2 or 3 name first.
    by_policy: u32,
    pub(super) holds: Vec<u32>,
    /// What the plan takes, and all that comes free with it on accounts that it may use.
    taken: Credits,
    freed: Credits,
    pub(super) trials: BTreeMap<NodeId, Trial>,
    /// Free places for all roles, ascending by node.
    pub(super) base: Vec<Slot>,
    /// Places on nodes that are not on trial, plus what those on trial hold.
    fits: u32,
}

impl<'h, 'a> Cover<'h, 'a> {
    pub(super) fn new(hunt: &'h Hunt<'a>) -> Cover<'h, 'a> {
        let mut cover = Cover {
            hunt,
            chosen: Vec::new(),
            members: BTreeSet::new(),
            bitten: BTreeMap::new(),
            by_policy: 0,
            holds: Vec::new(),
            taken: Credits::default(),
            freed: Credits::default(),
            trials: BTreeMap::new(),
            base: Vec::new(),
            fits: 0,
        };
        let nodes = &hunt.s.pools[hunt.pool.index()].nodes;
        let models = hunt.model.map_or(ModelSet::ANY, |m| ModelSet::ANY.with(m));
        let allowed = hunt.s.w(hunt.id).spec.nodes.as_deref();
        for role in &hunt.roles {
            let count = role.replicas + beside(role, &hunt.roles);
            let ask = Ask { models, shape: role.shape, count, allowed, barred: hunt.bars.on_nodes() };
            nodes.place(&ask, &mut cover.base);
        }
        cover.base.sort_unstable_by_key(|s| s.node);
        cover.fits = cover.base.len() as u32;
        // Nodes where more will come free than holds wait for.
        for (&(_, node), &milli) in
            hunt.s.coming_at.range((hunt.pool, NodeId(0))..=(hunt.pool, NodeId(u32::MAX)))
        {
            if milli > 0 || hunt.model.is_none() {
                cover.touch(node);
            }
        }
        cover
    }

    /// What is leaving already may be enough.
    pub(super) fn without_victims(hunt: &'h Hunt<'a>) -> Option<Cover<'h, 'a>> {
        if hunt.s.leaving.is_empty() && hunt.s.held.is_empty() {
            return None;
        }
        let mut cover = Cover::new(hunt);
        cover.take_holds();
        cover.is_enough().then(|| {
            cover.prune();
            cover
        })
    }

    /// The cheapest cover that the units of a level offer.
    pub(super) fn search(hunt: &'h Hunt<'a>, level: Level) -> Option<Cover<'h, 'a>> {
        let mut cover = Cover::new(hunt);
        cover.take_holds();
        if hunt.roles.len() == 1 {
            cover.cover_nodes(level)?;
        } else {
            cover.cover_roles(level)?;
        }
        cover.cover_accounts(level)?;
        let mut cover = cover.pruned()?;
        cover.improve(level);
        Some(cover)
    }

    pub(super) fn take_holds(&mut self) {
        for unit in self.hunt.holds_to_take() {
            self.holds.push(unit);
            self.give(unit, None, 1);
        }
    }

    /// What the plan pays with: what it takes if that will do.
    pub(super) fn credits(&self) -> &Credits {
        if self.hunt.can_pay(&self.taken) { &self.taken } else { &self.freed }
    }

    pub(super) fn victims(&self) -> impl Iterator<Item = &(u32, Named)> {
        self.chosen.iter()
    }

    pub(super) fn is_chosen(&self, unit: u32) -> bool {
        self.members.contains(&unit)
    }

    pub(super) fn into_chosen(self) -> (Vec<u32>, Vec<(u32, Named)>) {
        (self.holds, self.chosen)
    }

    /// Puts a node on trial: from now on it is counted as it will be.
    fn touch(&mut self, node: NodeId) {
        if self.trials.contains_key(&node) {
            return;
        }
        let capacity = self.hunt.future(node);
        let usable = self.hunt.may_use(node);
        let from = self.base.partition_point(|s| s.node < node);
        let to = self.base.partition_point(|s| s.node <= node);
        self.fits -= (to - from) as u32;
        let fits = if usable { self.hunt.wanted_of(&capacity) } else { 0 };
        self.fits += fits;
        self.trials.insert(node, Trial { capacity, usable, fits, freed: 0 });
    }

    /// What comes free with the plan on accounts that it may use.
    pub(super) fn freed(&self) -> &Credits {
        &self.freed
    }

    /// Draws of a unit on accounts that the plan may use.
    pub(super) fn usable<'u>(&self, u: &'u Unit) -> impl Iterator<Item = &'u Draw> + use<'u, 'h, 'a> {
        let hunt = self.hunt;
        let may = |a| funding::rule_for(&hunt.s.tree, hunt.quota, hunt.tiers.rules, a).is_some();
        u.grant.draws.iter().filter(move |d| may(d.account))
    }

    /// Adds or takes away what a unit gives back in both books.
    pub(super) fn give(&mut self, unit: u32, named: Option<Named>, sign: i64) {
        let hunt = self.hunt;
        let u = &hunt.s.units[unit];
        for d in self.usable(u) {
            if named.is_none_or(|n| n.takes(d.class, hunt.tiers.class)) {
                self.taken.add(d.account, d.dimension, sign * d.amount);
            }
            self.freed.add(d.account, d.dimension, sign * d.amount);
        }
        for slot in &u.grant.slots {
            self.touch(slot.node);
            let trial = self.trials.get_mut(&slot.node).expect("the node was just put on trial");
            if sign > 0 {
                trial.capacity.give_back(slot);
                trial.freed += 1;
            } else {
                trial.capacity.take_out(slot);
                trial.freed -= 1;
            }
            if trial.usable {
                self.fits -= trial.fits;
                trial.fits = hunt.wanted_of(&trial.capacity);
                self.fits += trial.fits;
            }
        }
    }

    pub(super) fn choose(&mut self, unit: u32, named: Named) {
        assert!(self.members.insert(unit), "a unit is chosen once");
        self.chosen.push((unit, named));
        self.by_policy += u32::from(named.tier > RECALL);
        let u = &self.hunt.s.units[unit];
        if u.is_replica {
            *self.bitten.entry(u.workload).or_default() += 1;
        }
        self.give(unit, Some(named), 1);
        self.give_dropped(unit, 1);
    }

    /// Whoever leaves whole drops its holds: counts them with the last of its units to be chosen.
    fn give_dropped(&mut self, last: u32, sign: i64) {
        let s = self.hunt.s;
        let id = s.units[last].workload;
        if !s.held.is_empty() && self.leaves_whole(id) {
            self.dropped(id).into_iter().for_each(|unit| self.give(unit, None, sign));
        }
    }

    /// Holds that a workload drops when it leaves whole.
    fn dropped(&self, id: WorkloadId) -> SmallVec<[u32; 2]> {
        let s = self.hunt.s;
        let held = |u: &u32| s.units[*u].state == UnitState::Held && !self.holds.contains(u);
        s.w(id).units.iter().copied().filter(held).collect()
    }

    /// Whether all that runs of a workload whose replicas go one by one is chosen.
    pub(super) fn leaves_whole(&self, id: WorkloadId) -> bool {
        self.bitten.get(&id).is_some_and(|&b| b > 0) && self.spared_units(id).next().is_none()
    }

    pub(super) fn choose_all(&mut self, bite: Bite) {
        bite.into_iter().for_each(|(unit, named)| self.choose(unit, named));
    }

    pub(super) fn unchoose(&mut self, unit: u32) -> Named {
        self.give_dropped(unit, -1);
        self.members.remove(&unit);
        let at = self.chosen.iter().position(|c| c.0 == unit).expect("who is spared was chosen");
        let (_, named) = self.chosen.remove(at);
        self.by_policy -= u32::from(named.tier > RECALL);
        let u = &self.hunt.s.units[unit];
        if u.is_replica {
            *self.bitten.get_mut(&u.workload).expect("it was bitten") -= 1;
        }
        self.give(unit, Some(named), -1);
        named
    }

    /// What a unit gives does not depend on which of its tiers it shows.
    pub(super) fn rename(&mut self, at: usize, named: Named) {
        let before = std::mem::replace(&mut self.chosen[at].1, named);
        self.by_policy += u32::from(named.tier > RECALL);
        self.by_policy -= u32::from(before.tier > RECALL);
    }

    pub(super) fn nodes_suffice(&self) -> bool {
        match self.hunt.roles.as_slice() {
            [role] => self.fits >= role.replicas,
            _ => self.pack().is_some(),
        }
    }

    /// A plan of tiers 2 and 3 needs somebody whom they name.
    pub(super) fn is_of_its_tiers(&self) -> bool {
        self.by_policy > 0 || !self.hunt.is_forced()
    }

    /// Whether what the plan takes is enough; all that comes free with it may be more.
    pub(super) fn takes_enough(&self) -> bool {
        self.nodes_suffice() && self.hunt.can_pay(&self.taken)
    }

    pub(super) fn is_enough(&self) -> bool {
        self.nodes_suffice() && self.hunt.can_pay(&self.freed)
    }

    pub(super) fn missing_slots(&self) -> u32 {
        self.hunt.roles[0].replicas.saturating_sub(self.fits)
    }

    pub(super) fn capacity(&self, node: NodeId) -> Capacity {
        self.trials.get(&node).map_or_else(|| self.hunt.future(node), |t| t.capacity.clone())
    }

    /// Units for want of balance, cheapest first.
    fn cover_accounts(&mut self, level: Level) -> Option<()> {
        let hunt = self.hunt;
        if hunt.can_pay(&self.taken) {
            return Some(());
        }
        for unit in Stream::new(hunt, level) {
            let named = hunt.names(&hunt.s.units[unit]).expect("the stream yields who is named");
            if self.is_chosen(unit) || !self.pays(unit, named) {
                continue;
            }
            let Some(bite) = self.bite(level, unit) else { continue };
            self.choose_all(bite);
            if hunt.can_pay(&self.taken) {
                return Some(());
            }
        }
        None
    }

    /// Whether what a unit gives back is on an account that the plan may use.
    fn pays(&self, unit: u32, named: Named) -> bool {
        let hunt = self.hunt;
        hunt.s.units[unit].grant.draws.iter().filter(|d| named.takes(d.class, hunt.tiers.class)).any(|d| {
            hunt.amounts.iter().any(|a| a.0 == d.dimension)
                && funding::rule_for(&hunt.s.tree, hunt.quota, hunt.tiers.rules, d.account).is_some()
        })
    }

    /// Units for several roles at once: the cheapest until all find a place.
    fn cover_roles(&mut self, level: Level) -> Option<()> {
        let hunt = self.hunt;
        let mut stream = Stream::new(hunt, level);
        while !self.nodes_suffice() {
            let unit = stream.next()?;
            if self.is_chosen(unit) {
                continue;
            }
            let Some(bite) = self.bite(level, unit) else { continue };
            self.choose_all(bite);
        }
        Some(())
    }

    /// The latest tier that it needs.
    pub(super) fn tier(&self) -> u8 {
        self.victims().map(|v| v.1.tier).max().unwrap_or(RECALL)
    }

    pub(super) fn cost(&self) -> PlanCost {
        let s = self.hunt.s;
        let tier = self.tier();
        let mut lost = LostByBand::default();
        let mut workloads: BTreeSet<WorkloadId> = BTreeSet::new();
        let (mut starts, mut ids) = (Vec::new(), Vec::new());
        let (mut band, mut dearer) = (0, false);
        for (unit, named) in &self.chosen {
            let u = &s.units[*unit];
            let restarts = u.is_replica && u.module == Module::Training;
            if workloads.insert(u.workload) && restarts {
                let all = s.w(u.workload).units.iter().map(|&o| &s.units[o]).filter(|o| o.is_running());
                lost.add(u.priority, all.map(|o| o.lost(self.hunt.now)).sum());
            } else if !restarts {
                lost.add(u.priority, u.lost(self.hunt.now));
            }
            if named.tier == tier {
                band = band.max(u.priority.get());
                dearer |= named.dearer;
            }
            starts.push(Reverse(u.started));
            ids.push((u.workload, u.number));
        }
        starts.sort_unstable();
        ids.sort_unstable();
        PlanCost { tier, band, dearer, lost, workloads: workloads.len(), starts, ids }
    }
}

/// Further places to look up for a role: each replica of the others may use up a node that has several.
fn beside(role: &Role, all: &[Role]) -> u32 {
    let others = all.iter().map(|r| r.replicas).sum::<u32>() - role.replicas;
    others * (DEVICES * WHOLE / role.shape.gpu.max(1)).clamp(1, DEVICES)
}
