//! Events of quotas: shares follow guarantees, indexes follow policies.

use crate::herd::{Herd, module_tag};
use crate::ids::{QuotaId, WorkloadId};
use crate::pins::Cells;
use crate::policy::{Policy, QuotaSpec, Source};
use crate::resources::{Dimension, Resources};
use crate::state::{Herds, Reservation, State, Timer};
use crate::unit::{Draws, UnitState};
use crate::words::Strategy;

impl State {
    pub(super) fn create_quota(&mut self, id: QuotaId, spec: &QuotaSpec) {
        self.tree.insert(id, spec);
        self.ledger.open(&self.tree, id);
        self.queues.push(Default::default());
        self.herds.push(Herds::default());
        self.abroad.push(Default::default());
        self.foreign.push(Default::default());
        self.quota_names.insert(&spec.name, id.0);
        if let Source::Pool(pool) = spec.source {
            self.pools[pool.index()].roots.push(id);
        }
        self.carve(id, &Resources::default(), &spec.guarantee);
        self.rebuild_herds(id);
    }

    pub(super) fn delete_quota(&mut self, id: QuotaId) {
        self.caps.forget(id);
        let quota = &self.tree[id];
        let (guarantee, parent, pool, name) = (quota.guarantee, quota.parent, quota.pool, quota.name.clone());
        self.carve(id, &guarantee, &Resources::default());
        self.quota_names.remove(&name, id.0);
        self.tree.remove(id);
        self.set_filters(id);
        match parent {
            Some(p) => {
                self.ledger.reindex(&self.tree, p);
                self.rebuild_herds(p);
                self.freed(p);
            }
            None => self.pools[pool.index()].roots.retain(|&r| r != id),
        }
    }

    pub(super) fn scale(&mut self, id: QuotaId, from: &Resources, to: &Resources, giver: Option<QuotaId>) {
        self.tree[id].guarantee = *to;
        match (giver, self.tree[id].parent) {
            (Some(_), Some(parent)) => self.hand_through(parent, id, &to.minus(from)),
            _ => self.carve(id, from, to),
        }
    }

    /// The second half of a transfer: the parent hands on what it has just been given. What is in transit of it
    /// is so to the receiver, whatever the parent itself has or owes.
    fn hand_through(&mut self, parent: QuotaId, id: QuotaId, amount: &Resources) {
        self.guard_again();
        for d in Dimension::all().filter(|&d| amount[d] != 0) {
            self.ledger.adjust(&self.tree, parent, d, |c| c.share -= amount[d]);
            self.ledger.adjust(&self.tree, id, d, |c| c.share += amount[d]);
        }
        for (giver, d, late) in std::mem::take(&mut self.ledger.latest) {
            // What the parent got back of its own debt it owes again, to the receiver.
            if giver == parent {
                self.ledger.owe(&self.tree, giver, id, d, late);
            } else {
                self.ledger.pass_on(&self.tree, Some(giver), parent, id, d, late);
            }
        }
        self.freed(id);
    }

    /// Moves share between a quota and its parent. What the side that shrinks still draws beyond
    /// its new share is in transit to the side that grows.
    fn carve(&mut self, id: QuotaId, from: &Resources, to: &Resources) {
        let parent = self.tree[id].parent;
        self.guard_again();
        self.ledger.latest.clear();
        for d in Dimension::all() {
            let change = to[d] - from[d];
            if change == 0 {
                continue;
            }
            let (giver, receiver) = if change < 0 { (Some(id), parent) } else { (parent, Some(id)) };
            let amount = change.abs();
            if let Some(g) = giver {
                self.ledger.adjust(&self.tree, g, d, |c| c.share -= amount);
            }
            if let Some(r) = receiver {
                self.ledger.adjust(&self.tree, r, d, |c| c.share += amount);
            }
            if let (Some(g), Some(r)) = (giver, receiver) {
                let late = |s: &State| (-s.ledger.cell(g, d).balance()).clamp(0, amount);
                // A parent that passes on what has not arrived itself is not overdrawn by that.
                let passed = self.ledger.pass_on(&self.tree, None, g, r, d, late(self));
                let late = late(self).min(amount - passed.iter().map(|p| p.2).sum::<i64>());
                self.ledger.latest.extend(passed);
                if late > 0 {
                    self.ledger.latest.push((g, d, late));
                    self.ledger.owe(&self.tree, g, r, d, late);
                }
            }
            if let Some(r) = receiver {
                self.freed(r);
            }
        }
    }

    pub(super) fn set_policy(&mut self, id: QuotaId, policy: &Policy) {
        let before = self.tree[id].policy;
        self.tree[id].policy = *policy;
        self.rules_changed(id);
        self.guard_again();
        self.set_timer(self.now, Timer::Guard(id));
        if policy.queue.strategy == Strategy::Balance {
            self.set_timer(self.now, Timer::Window(id));
        }
        if policy.queue.strategy == Strategy::Fair && before.queue.strategy != Strategy::Fair {
            self.count_served(id);
        }
        if before.idle_sharing != policy.idle_sharing {
            self.ledger.reindex(&self.tree, id);
        }
        if (before.child_level, before.self_level) != (policy.child_level, policy.self_level) {
            self.rebuild_herds(id);
        }
        let root = self.tree[id].root;
        for i in 0..self.tree.tree(root).order.len() {
            let q = self.tree.tree(root).order[i];
            self.wake(q);
            self.freed(q);
        }
    }

    /// Counts anew what each workspace draws through a quota that turns to `fair`.
    fn count_served(&mut self, id: QuotaId) {
        let running = self.units.iter().filter(|(_, u)| u.quota == id && u.state != UnitState::Held);
        let served: Vec<_> = running.map(|(_, u)| (self.workspace_of(u.workload), u.gpu)).collect();
        self.queues[id.index()].serve_anew(served);
    }

    /// Whether the herds around a quota are those that its policies need; builds what is missing.
    fn rebuild_herds(&mut self, id: QuotaId) {
        let policy = self.tree[id].policy;
        let below = policy.child_level.is_some();
        let own = policy.self_level.is_some_and(|s| s.reaches_own());
        self.herds[id.index()].below = below.then(|| self.herd_of(|s, q| s.tree.is_descendant(q, id)));
        self.herds[id.index()].own = own.then(|| self.herd_of(|_, q| q == id));
        self.set_filters(id);
        for p in [self.tree[id].parent, Some(id)].into_iter().flatten() {
            let wanted = self.tree[p].children.iter().any(|&c| self.tree.lends_to(c).is_some());
            self.herds[p.index()].children = wanted.then(|| self.herd_of(|s, q| s.tree[q].parent == Some(p)));
        }
        self.mark_hunted(self.tree[id].parent.unwrap_or(id));
    }

    /// Marks the quotas, of one and all below it, of whose units a herd is kept.
    fn mark_hunted(&mut self, top: QuotaId) {
        for i in self.tree[top].order..self.tree[top].end {
            let id = self.tree.tree(top).order[i as usize];
            let quota = &self.tree[id];
            let children = quota.parent.is_some_and(|p| self.herds[p.index()].children.is_some());
            let below = quota.above.iter().any(|a| self.herds[a.index()].below.is_some());
            self.tree[id].hunted = children || below || self.herds[id.index()].own.is_some();
        }
    }

    /// Counts pinned devices under what the quota's policies name.
    fn set_filters(&mut self, id: QuotaId) {
        let policy = self.tree[id].policy;
        let by_self = policy.self_level.map(|p| Cells::all(p.low(), p.modules()));
        let by_child = policy.child_level.map(|p| Cells::all(p.victims(), p.modules()));
        let both = by_child.map(|c| by_self.map_or(c, |s| s.or(c)));
        let pins = &mut self.pins[self.tree[id].pool.index()];
        let old = std::mem::replace(&mut self.herds[id.index()].filters, [by_self, both]);
        old.into_iter().flatten().for_each(|cells| pins.unregister(cells));
        if self.tree[id].deleted {
            self.herds[id.index()].filters = [None, None];
            return;
        }
        for cells in [by_self, both].into_iter().flatten() {
            let pool = self.tree[id].pool;
            let firm = self
                .units
                .iter()
                .map(|(_, u)| u)
                .filter(|u| u.is_running() && u.is_pinned() && self.tree[u.quota].pool == pool);
            pins.register(cells, firm.map(|u| (Cells::of(u.priority, u.module), &u.grant.slots[..])));
        }
    }

    /// A herd of all running units in these quotas: a scan, for changes of policy only.
    fn herd_of(&self, includes: impl Fn(&State, QuotaId) -> bool) -> Herd {
        let mut herd = Herd::default();
        for (i, u) in self.units.iter().filter(|(_, u)| u.is_running() && includes(self, u.quota)) {
            herd.join(&self.beast(i, module_tag(u.module)));
        }
        herd
    }

    pub(super) fn reserve(
        &mut self,
        workload: WorkloadId,
        accounts: &Draws,
        nodes: &[(crate::ids::NodeId, u32)],
    ) {
        let quota = self.w(workload).spec.quota;
        let pool = self.tree[quota].pool.index();
        for d in accounts {
            self.ledger.adjust(&self.tree, d.account, d.dimension, |c| c.reserved += d.amount);
        }
        for &(node, devices) in nodes {
            self.pools[pool].nodes.bar(node, devices);
        }
        self.queues[quota.index()].reserved_for = Some(workload);
        self.reservations.push(Reservation { workload, accounts: accounts.clone(), nodes: nodes.to_vec() });
    }

    pub(super) fn end_reservation(&mut self, workload: WorkloadId) {
        let at =
            self.reservations.iter().position(|r| r.workload == workload).expect("a reservation ends once");
        let r = self.reservations.remove(at);
        let quota = self.w(workload).spec.quota;
        let pool = self.tree[quota].pool;
        for d in &r.accounts {
            self.ledger.adjust(&self.tree, d.account, d.dimension, |c| c.reserved -= d.amount);
            self.freed(d.account);
        }
        for &(node, devices) in &r.nodes {
            self.pools[pool.index()].nodes.unbar(node, devices);
        }
        self.queues[quota.index()].reserved_for = None;
        self.set_timer(self.now, Timer::Guard(quota));
        self.wake_pool(pool);
    }

    /// Balance came free on an account: whoever may draw on it may look again.
    pub(crate) fn freed(&mut self, account: QuotaId) {
        self.agenda.freed.insert(account);
        self.wake_users(account);
        if self.tree[account].policy.idle_sharing && !self.agenda.idle_turn.is_empty() {
            self.agenda.idle_freed.insert(self.tree[account].root);
        }
    }

    /// Whoever may draw on an account by right or as a sibling looks again.
    pub(crate) fn wake_users(&mut self, account: QuotaId) {
        self.wake(account);
        let parent = self.tree[account].parent;
        if let Some(p) = parent
            && self.herds[p.index()].children.is_some()
        {
            for i in 0..self.tree[p].children.len() {
                let sibling = self.tree[p].children[i];
                if self.tree.lends_to(sibling).is_some() {
                    self.wake(sibling);
                }
            }
        }
        let mut above = parent;
        while let Some(a) = above {
            if self.tree[a].policy.child_level.is_some() {
                self.wake(a);
            }
            above = self.tree[a].parent;
        }
    }

    /// The books add up. Called after every event in debug builds; cheap enough there, not in release.
    pub(crate) fn assert_conserved(&self) {
        if self.tree.len() > 64 {
            return;
        }
        for tree in self.tree.trees() {
            for d in Dimension::all() {
                let mut shares = 0;
                for &q in &tree.order {
                    let c = self.ledger.cell(q, d);
                    shares += c.share;
                    assert!(c.share >= 0, "{} has a negative share", self.tree[q].name);
                    assert!(
                        c.drawn >= 0 && c.held >= 0 && c.transit >= 0 && c.reserved >= 0,
                        "negative books of {}",
                        self.tree[q].name
                    );
                }
                if !tree.order.is_empty() {
                    assert_eq!(
                        shares, self.tree[tree.root].guarantee[d],
                        "shares add up to the root's guarantee"
                    );
                }
            }
        }
    }
}
