//! Nobody starves: who was passed over for long enough gets a reservation, one per queue.
//!
//! It keeps balance on the accounts that the workload may use by right, and devices on nodes chosen when it is
//! granted: nobody of lower rank starts there, except idle units, which it recalls.

use crate::event::EventKind;
use crate::funding::{self, Rules};
use crate::ids::{ModelId, NodeId, QuotaId, Tick, WorkloadId};
use crate::nodes::{Barred, NodeState};
use crate::session::Session;
use crate::state::{State, Timer};
use crate::unit::{Draw, Draws};
use crate::words::{Class, Rule};
use crate::workload::{Role, Workload};
use std::cmp::Reverse;

/// What the starvation guard keeps from a workload.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bars {
    /// Amounts by account.
    pub(crate) draws: Vec<Draw>,
    /// Nodes on which it leaves barred devices alone, ascending, and how many there are.
    nodes: Vec<NodeId>,
    devices: Vec<u32>,
}

impl Bars {
    pub(crate) fn on_nodes(&self) -> Barred<'_> {
        if self.nodes.is_empty() { Barred::Ignore } else { Barred::RespectOn(&self.nodes) }
    }

    pub(crate) fn kept_at(&self, node: NodeId) -> u32 {
        self.nodes.binary_search(&node).map_or(0, |i| self.devices[i])
    }
}

impl Session<'_> {
    /// Grants a reservation if somebody in the queue has been passed over for long enough.
    pub(crate) fn guard(&mut self, quota: QuotaId) {
        let Some(q) = self.s.tree.get(quota) else { return };
        let guard = q.policy.queue.starvation_guard;
        let queue = &self.s.queues[quota.index()];
        if queue.reserved_for.is_some() {
            return;
        }
        let now = self.now;
        let due: Vec<WorkloadId> =
            queue.passed.iter().take_while(|(at, _)| at.after(guard) <= now).map(|p| p.1).collect();
        if due.is_empty() {
            if let Some(&(first, _)) = self.s.queues[quota.index()].passed.first() {
                self.s.set_timer(first.after(guard), Timer::Guard(quota));
            }
            return;
        }
        let Some((id, (accounts, nodes))) =
            due.into_iter().find_map(|id| Some((id, self.s.reservation_for(id)?)))
        else {
            // Nothing can be kept for anybody now: it is tried again when something changes or another is due.
            self.s.agenda.unguarded.insert(quota);
            let mut passed = self.s.queues[quota.index()].passed.iter();
            if let Some(&(next, _)) = passed.find(|(at, _)| at.after(guard) > now) {
                self.s.set_timer(next.after(guard), Timer::Guard(quota));
            }
            return;
        };
        self.emit(EventKind::Reserved { workload: id, accounts, nodes });
        self.s.wake(quota);
    }

    /// Shares or policies of a tree changed: its reservations are made anew.
    pub(crate) fn renew_reservations(&mut self, quota: QuotaId) {
        let root = self.s.tree[quota].root;
        let quota_of = |s: &State, id: WorkloadId| s.w(id).spec.quota;
        let ids: Vec<WorkloadId> = self.s.reservations.iter().map(|r| r.workload).collect();
        let ids: Vec<WorkloadId> =
            ids.into_iter().filter(|&id| self.s.tree[quota_of(self.s, id)].root == root).collect();
        ids.iter().for_each(|&id| self.end_reservation_of(id));
        ids.iter().for_each(|&id| self.guard(quota_of(self.s, id)));
    }

    pub(crate) fn end_reservation_of(&mut self, id: WorkloadId) {
        if !self.s.reservations.is_empty() && self.s.reservations.iter().any(|r| r.workload == id) {
            self.emit(EventKind::ReservationEnded { workload: id });
        }
    }
}

impl State {
    /// Shares, nodes or reservations changed: what could not be kept before may be now.
    pub(crate) fn guard_again(&mut self) {
        while let Some(quota) = self.agenda.unguarded.pop_first() {
            self.set_timer(self.now, Timer::Guard(quota));
        }
    }

    /// Who was passed over first in a queue, and when.
    pub(crate) fn first_passed(&self, quota: QuotaId) -> Option<(Tick, WorkloadId)> {
        self.queues[quota.index()].passed.first().copied()
    }

    /// What reservations keep from a workload that starts by these rules.
    pub(crate) fn bars(&self, id: WorkloadId, rules: Rules) -> Bars {
        let mut bars = Bars::default();
        if self.reservations.is_empty() {
            return bars;
        }
        let w = self.w(id);
        let pool = self.tree[w.spec.quota].pool;
        let class = match rules {
            Rules { idle: true, .. } => Class::Idle,
            Rules { siblings: Some(Class::Loan), .. } => Class::Loan,
            _ => Class::Firm,
        };
        let mut nodes: Vec<(NodeId, u32)> = Vec::new();
        for r in self.reservations.iter().filter(|r| r.workload != id && self.yields_to(w, class, r.workload))
        {
            bars.draws.extend(r.accounts.iter().copied());
            // Idle units may sit there: they are recalled.
            if class > Class::Idle && self.tree[self.w(r.workload).spec.quota].pool == pool {
                // Where it needs no device it keeps none: what others keep there is theirs.
                nodes.extend(r.nodes.iter().filter(|node| node.1 > 0));
            }
        }
        nodes.sort_unstable();
        (bars.nodes, bars.devices) = nodes.into_iter().unzip();
        bars
    }

    /// Whether `w`, starting in this class, ranks below a workload that a reservation is for.
    fn yields_to(&self, w: &Workload, class: Class, to: WorkloadId) -> bool {
        let other = self.w(to);
        let rank = |x: &Workload, class| (class, Reverse(self.tree[x.spec.quota].depth), x.spec.priority);
        let (mine, theirs) = (rank(w, class), rank(other, Class::Firm));
        mine < theirs || (mine == theirs && w.spec.quota == other.spec.quota && w.entry() > other.entry())
    }

    /// Accounts and nodes to keep for a workload; `None` if it could not run even then.
    fn reservation_for(&self, id: WorkloadId) -> Option<(Draws, Vec<(NodeId, u32)>)> {
        let w = self.w(id);
        let spec = &w.spec;
        let rules = funding::allowed(&self.tree, spec.quota, spec.module, spec.priority, spec.idle);
        if !rules.own || self.is_capped(w) {
            return None;
        }
        let roles: Vec<Role> = match spec.roles.as_slice() {
            [one] => vec![Role { replicas: spec.min(), shape: one.shape }],
            many => many.to_vec(),
        };
        self.models_for(w).into_iter().find_map(|model| {
            let accounts = self.accounts_to_keep(spec.quota, rules.child, model, &roles)?;
            let nodes = self.nodes_to_keep(id, model, &roles)?;
            Some((accounts, nodes))
        })
    }

    fn accounts_to_keep(
        &self,
        quota: QuotaId,
        child: bool,
        model: Option<ModelId>,
        roles: &[Role],
    ) -> Option<Draws> {
        let mut draws = Draws::new();
        for (d, need) in self.amounts(quota, model, roles) {
            let mut left = need;
            let below: &[QuotaId] = if child { self.tree.descendants(quota) } else { &[] };
            for (account, rule) in
                std::iter::once((quota, Rule::Own)).chain(below.iter().map(|&a| (a, Rule::ChildLevel)))
            {
                let cell = self.ledger.cell(account, d);
                let amount = left.min(cell.share - cell.reserved).max(0);
                if amount > 0 {
                    draws.push(Draw { account, dimension: d, rule, class: Class::Firm, amount });
                    left -= amount;
                }
            }
            if left > 0 {
                return None;
            }
        }
        Some(draws)
    }

    /// Nodes that have most free now, as many as the workload needs when they are empty. Looks at every node.
    fn nodes_to_keep(
        &self,
        id: WorkloadId,
        model: Option<ModelId>,
        roles: &[Role],
    ) -> Option<Vec<(NodeId, u32)>> {
        let spec = &self.w(id).spec;
        let nodes = &self.pool_of(spec.quota).nodes;
        let mut kept: Vec<(NodeId, u32)> = Vec::new();
        for role in roles {
            let usable = nodes.iter().filter(|n| {
                n.state == NodeState::Ready
                    && n.barred == 0
                    && !kept.iter().any(|k| k.0 == n.id)
                    && (model.is_none() || n.spec.model == model)
                    && spec.nodes.as_deref().is_none_or(|list| list.binary_search(&n.id).is_ok())
            });
            let mut best: Vec<_> = usable.map(|n| (Reverse(n.free_milli), n.id)).collect();
            best.sort_unstable();
            let mut left = role.replicas;
            for (_, node) in best {
                let hosts = nodes.fits_empty(node, &role.shape).min(left);
                if hosts > 0 {
                    let devices = hosts * role.shape.devices().max(u32::from(role.shape.gpu > 0));
                    kept.push((node, devices));
                    left -= hosts;
                }
                if left == 0 {
                    break;
                }
            }
            if left > 0 {
                return None;
            }
        }
        Some(kept)
    }
}
