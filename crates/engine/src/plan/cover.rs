//! A set of victims in the making: what it frees in both books, and whether that is enough.

use super::cost::{LostByBand, PlanCost};
use super::hunt::Hunt;
use super::level::{Level, Named, RECALL};
use super::stream::Stream;
use crate::funding::{self, Credits};
use crate::ids::{NodeId, WorkloadId};
use crate::nodes::{Ask, Capacity};
use crate::resources::ModelSet;
use crate::slot::Slot;
use crate::words::{Class, Module};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Replicas of one workload that are each tried first when it may be spared in part.
const MAX_TURNS: usize = 16;

#[derive(Clone, Debug)]
pub(super) struct Trial {
    pub(super) capacity: Capacity,
    usable: bool,
    pub(super) fits: u32,
    /// Units of the plan that give something back here.
    freed: u32,
}

#[derive(Clone, Debug)]
pub(super) struct Cover<'h, 'a> {
    pub(super) hunt: &'h Hunt<'a>,
    /// In the order in which they were chosen.
    chosen: Vec<(u32, Named)>,
    members: BTreeSet<u32>,
    /// Chosen units by workload, where replicas go one by one.
    bitten: BTreeMap<WorkloadId, u32>,
    holds: Vec<u32>,
    /// What the plan takes, and all that comes free with it on accounts that it may use.
    taken: Credits,
    freed: Credits,
    trials: BTreeMap<NodeId, Trial>,
    /// Free places for all roles, ascending by node.
    base: Vec<Slot>,
    /// Places on nodes that are not on trial, plus what those on trial hold.
    fits: u32,
}

impl<'h, 'a> Cover<'h, 'a> {
    fn new(hunt: &'h Hunt<'a>) -> Cover<'h, 'a> {
        let mut cover = Cover {
            hunt,
            chosen: Vec::new(),
            members: BTreeSet::new(),
            bitten: BTreeMap::new(),
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
            let barred = hunt.bars.on_nodes();
            let ask = Ask { models, shape: role.shape, count: role.replicas, allowed, barred };
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
        cover.prune();
        cover.improve(level);
        Some(cover)
    }

    fn take_holds(&mut self) {
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

    /// Adds or takes away what a unit gives back in both books.
    fn give(&mut self, unit: u32, named: Option<Named>, sign: i64) {
        let hunt = self.hunt;
        let u = &hunt.s.units[unit];
        for d in &u.grant.draws {
            if funding::rule_for(&hunt.s.tree, hunt.quota, hunt.tiers.rules, d.account).is_none() {
                continue;
            }
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
        let u = &self.hunt.s.units[unit];
        if u.is_replica {
            *self.bitten.entry(u.workload).or_default() += 1;
        }
        self.give(unit, Some(named), 1);
    }

    fn unchoose(&mut self, unit: u32) -> Named {
        self.members.remove(&unit);
        let at = self.chosen.iter().position(|c| c.0 == unit).expect("who is spared was chosen");
        let (_, named) = self.chosen.remove(at);
        let u = &self.hunt.s.units[unit];
        if u.is_replica {
            *self.bitten.get_mut(&u.workload).expect("it was bitten") -= 1;
        }
        self.give(unit, Some(named), -1);
        named
    }

    pub(super) fn nodes_suffice(&self) -> bool {
        match self.hunt.roles.as_slice() {
            [role] => self.fits >= role.replicas,
            _ => self.pack().is_some(),
        }
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

    /// Running units of a workload that the cover leaves alone.
    pub(super) fn spared_units(&self, id: WorkloadId) -> impl Iterator<Item = u32> + '_ {
        let s = self.hunt.s;
        s.w(id).units.iter().copied().filter(move |&u| s.units[u].is_running() && !self.is_chosen(u))
    }

    /// What choosing a unit takes along: itself, or all that is left of a workload at its minimum.
    /// `None` if it may not go now.
    pub(super) fn bite(&self, unit: u32) -> Option<Vec<u32>> {
        let s = self.hunt.s;
        let u = &s.units[unit];
        if !u.is_replica {
            return Some(vec![unit]);
        }
        let left: Vec<u32> = self.spared_units(u.workload).collect();
        // Further replicas go in the order of their class, the lowest first.
        if left.iter().any(|&o| s.units[o].class < u.class) {
            return None;
        }
        if left.len() as u32 > s.w(u.workload).spec.min() {
            return Some(vec![unit]);
        }
        let spared_by_policy = self.hunt.names(u).is_none_or(|n| n.tier > RECALL)
            && left.iter().any(|&o| self.hunt.is_protected(&s.units[o]));
        (!spared_by_policy).then_some(left)
    }

    /// Work lost by choosing these, beyond what is lost already.
    pub(super) fn loss(&self, units: &[u32]) -> u128 {
        let s = self.hunt.s;
        let now = self.hunt.now;
        let Some(&first) = units.first() else { return 0 };
        let u = &s.units[first];
        if u.is_replica && u.module == Module::Training {
            let bitten = self.bitten.get(&u.workload).is_some_and(|&b| b > 0);
            return if bitten {
                0
            } else {
                s.w(u.workload)
                    .units
                    .iter()
                    .map(|&o| &s.units[o])
                    .filter(|o| o.is_running())
                    .map(|o| o.lost(now))
                    .sum()
            };
        }
        units.iter().map(|&o| s.units[o].lost(now)).sum()
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
            let Some(bite) = self.bite(unit) else { continue };
            bite.into_iter().for_each(|u| self.choose(u, named));
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
            let Some(bite) = self.bite(unit) else { continue };
            let named = hunt.names(&hunt.s.units[unit]).expect("the stream yields who is named");
            bite.into_iter().for_each(|u| self.choose(u, named));
        }
        Some(())
    }

    /// Spares whoever is not needed, the dearest first.
    pub(super) fn prune(&mut self) {
        self.prune_except(u32::MAX);
    }

    /// The same, but looks at `last` after all others.
    pub(super) fn prune_except(&mut self, last: u32) {
        for i in (0..self.holds.len()).rev() {
            let unit = self.holds[i];
            self.give(unit, None, -1);
            if self.is_enough() {
                self.holds.remove(i);
            } else {
                self.give(unit, None, 1);
            }
        }
        let s = self.hunt.s;
        let mut order: Vec<u32> = self.chosen.iter().map(|c| c.0).collect();
        let now = self.hunt.now;
        order.sort_by_key(|&u| {
            let u = &s.units[u];
            (
                Reverse(u.priority),
                Reverse(u.lost(now)),
                Reverse(u.class),
                u.started,
                Reverse(u.workload),
                u.number,
            )
        });
        order.sort_by_key(|&u| u == last);
        for unit in order {
            if !self.is_chosen(unit) {
                continue;
            }
            let id = s.units[unit].workload;
            if s.units[unit].is_replica && self.spared_units(id).next().is_none() {
                self.prune_whole(id);
                continue;
            }
            let named = self.unchoose(unit);
            if !self.is_enough() || !self.keeps_class_order(id) {
                self.choose(unit, named);
            }
        }
    }

    /// A workload that leaves whole is spared, or at least shrunk to its minimum, if that is enough.
    fn prune_whole(&mut self, id: WorkloadId) {
        let s = self.hunt.s;
        let mut units: Vec<u32> = s.w(id).units.iter().copied().filter(|u| self.is_chosen(*u)).collect();
        units.sort_by_key(|&u| (Reverse(s.units[u].class), s.units[u].number));
        for order in in_turns(&units, |u| s.units[u].class) {
            let mut spared = Vec::new();
            for unit in order {
                let named = self.unchoose(unit);
                if self.is_enough() {
                    spared.push((unit, named));
                } else {
                    self.choose(unit, named);
                }
            }
            if spared.len() as u32 >= s.w(id).spec.min().max(1) && self.keeps_class_order(id) {
                return;
            }
            spared.into_iter().for_each(|(u, n)| self.choose(u, n));
        }
    }

    /// Lower classes go first, as far as they are of use: whoever goes leaves the minimum to replicas that are no
    /// weaker.
    fn keeps_class_order(&self, id: WorkloadId) -> bool {
        let s = self.hunt.s;
        let going = s.w(id).units.iter().filter(|u| self.is_chosen(**u)).map(|&u| s.units[u].class).max();
        let strong =
            |class: Class| self.spared_units(id).filter(|&u| s.units[u].class >= class).count() as u32;
        going
            .is_none_or(|class| strong(class) >= s.w(id).spec.min() || self.spared_units(id).next().is_none())
    }

    pub(super) fn cost(&self, tier: u8) -> PlanCost {
        let s = self.hunt.s;
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

    /// Concrete places on the state after release: the certificate.
    pub(super) fn slots(&self) -> Option<Vec<Slot>> {
        let [role] = self.hunt.roles.as_slice() else { return self.pack() };
        let need = role.replicas as usize;
        let mut slots = Vec::with_capacity(need);
        let take = |pick: &dyn Fn(&Trial) -> bool, slots: &mut Vec<Slot>| {
            for (&node, trial) in self.trials.iter().filter(|(_, t)| t.usable && pick(t)) {
                let mut capacity = trial.capacity.clone();
                while slots.len() < need
                    && let Some(slot) = capacity.take(node, &role.shape)
                {
                    slots.push(slot);
                }
            }
        };
        take(&|t| t.freed > 0, &mut slots);
        let free = self.base.iter().filter(|s| !self.trials.contains_key(&s.node));
        slots.extend(free.take(need - slots.len()).cloned());
        take(&|t| t.freed == 0, &mut slots);
        (slots.len() == need).then_some(slots)
    }

    /// First-fit decreasing for several roles, over nodes on trial and nodes with free places.
    fn pack(&self) -> Option<Vec<Slot>> {
        let roles = &self.hunt.roles;
        let free: BTreeSet<NodeId> = self.base.iter().map(|s| s.node).collect();
        let mut nodes: BTreeMap<NodeId, Capacity> =
            self.trials.iter().filter(|(_, t)| t.usable).map(|(&n, t)| (n, t.capacity.clone())).collect();
        for node in free {
            nodes.entry(node).or_insert_with(|| self.hunt.future(node));
        }
        let model = |node: NodeId| self.hunt.s.pools[self.hunt.pool.index()].nodes.model(node);
        let mut order: Vec<usize> = (0..roles.len()).collect();
        order.sort_by_key(|&i| Reverse(roles[i].shape));
        let mut placed: Vec<Vec<Slot>> = vec![Vec::new(); roles.len()];
        for i in order {
            for (&node, capacity) in &mut nodes {
                // Only a replica without GPUs may sit on nodes of another model.
                if roles[i].shape.gpu > 0 && model(node) != self.hunt.model {
                    continue;
                }
                while placed[i].len() < roles[i].replicas as usize
                    && let Some(slot) = capacity.take(node, &roles[i].shape)
                {
                    placed[i].push(slot);
                }
            }
            if placed[i].len() < roles[i].replicas as usize {
                return None;
            }
        }
        Some(placed.concat())
    }
}

/// Orders in which to try to spare replicas: higher classes first, and of equals each once as the first.
/// If any run of neighbours can stay, one of the orders begins with it.
pub(crate) fn in_turns(units: &[u32], class: impl Fn(u32) -> Class) -> Vec<Vec<u32>> {
    let turns = units.len().min(MAX_TURNS);
    let turned = |by: usize| {
        let mut order = Vec::with_capacity(units.len());
        for same in units.chunk_by(|&a, &b| class(a) == class(b)) {
            let at = by % same.len();
            order.extend_from_slice(&same[at..]);
            order.extend_from_slice(&same[..at]);
        }
        order
    };
    (0..turns).map(turned).collect()
}
