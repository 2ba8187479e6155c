//! The short way of a submission: where nobody waits in the queue and the quota's own account has the balance,
//! a workload starts as it arrives. What it does is what the long way would do, without the rounds.

use crate::admit::Amounts;
use crate::event::{Event, EventKind, StartKind};
use crate::funding;
use crate::ids::{ModelId, WorkloadId};
use crate::nodes::{Ask, Barred};
use crate::resources::{Dimension, ModelSet};
use crate::session::Session;
use crate::slot::Slot;
use crate::state::State;
use crate::take_back::Fresh;
use crate::unit::{Draw, Draws, Grant};
use crate::words::{Class, IdleUse, Rule};
use crate::workload::{WorkloadSpec, WorkloadState};
use smallvec::{SmallVec, smallvec};
use std::hint::black_box;
use std::sync::Arc;

impl State {
    /// Reads what an admission will read, and uses none of it: what has to come from memory comes together instead
    /// of one after the other.
    pub(super) fn glance(&self, spec: &WorkloadSpec) {
        let q = spec.quota.index();
        let Some(queue) = self.queues.get(q) else { return };
        let quota = &self.tree[spec.quota];
        let mut seen = i64::from(queue.waiting()) ^ queue.idlers;
        seen ^= self.ledger.account(spec.quota).used ^ self.abroad[q].len() as i64;
        seen ^= self.ledger.cell(spec.quota, Dimension(0)).balance();
        seen ^= i64::from(self.workload_names.glance(&spec.name)) ^ i64::from(self.demands.glance(spec));
        seen ^= i64::from(quota.live) ^ quota.policy.protect_for.0 as i64 ^ i64::from(self.units.glance());
        seen ^=
            self.workloads.glance() as i64 ^ self.pools[quota.pool.index()].nodes.glance(ModelId(0)) as i64;
        for &a in &quota.above {
            seen ^= self.ledger.cell(a, Dimension(0)).free_below;
        }
        black_box(seen);
    }

    /// What a workload of one piece gets if it can start as it arrives; `None` if that takes a closer look.
    pub(super) fn grant_at_once(&self, spec: &WorkloadSpec) -> Option<Grant> {
        let [role] = spec.roles.as_slice() else { return None };
        let quota = spec.quota;
        if spec.by_replica()
            || spec.idle == IdleUse::Only
            || !self.is_settled()
            || !self.reservations.is_empty()
            || !self.caps.is_empty()
            || !self.queues[quota.index()].is_idle()
        {
            return None;
        }
        let pool = self.pool_of(quota);
        let model = match role.shape.gpu {
            0 => None,
            _ => {
                let mut models = (0..pool.models.len() as u8).map(ModelId);
                Some(models.find(|&m| spec.models.allows(m))?)
            }
        };
        let amounts: Amounts = self.amounts(quota, model, &spec.roles);
        if amounts.iter().any(|&(d, amount)| funding::own_balance(&self.ledger, quota, d) < amount) {
            return None;
        }
        let draw = |&(dimension, amount): &(Dimension, i64)| Draw {
            account: quota,
            dimension,
            rule: Rule::Own,
            class: Class::Firm,
            amount,
        };
        let draws = match amounts.as_slice() {
            [one] => Draws::from_buf([draw(one)]),
            several => several.iter().map(draw).collect(),
        };
        let models = model.map_or(ModelSet::ANY, |m| ModelSet::ANY.with(m));
        let allowed = spec.nodes.as_deref();
        let ask = Ask { models, shape: role.shape, count: role.replicas, allowed, barred: Barred::Ignore };
        let slots: SmallVec<[Slot; 1]> = if role.replicas == 1 {
            SmallVec::from_buf([pool.nodes.place_one(&ask)?])
        } else {
            let mut slots = Vec::new();
            if pool.nodes.place(&ask, &mut slots) < role.replicas {
                return None;
            }
            slots.into()
        };
        Some(Grant { unit: 0, model, draws, slots })
    }
}

impl Session<'_> {
    pub(super) fn start_at_once(&mut self, spec: WorkloadSpec, grant: Grant) {
        #[cfg(debug_assertions)]
        let expected = self.the_long_way(&spec);
        let (id, quota, replicas) =
            (WorkloadId(self.s.workloads.len() as u32), spec.quota, grant.slots.len() as u32);
        let spec = Arc::new(spec);
        self.s.admit(self.now, id, &spec, &grant);
        self.events = Vec::with_capacity(2);
        let at = self.now;
        self.events.push(Event { at, kind: EventKind::Queued { workload: id, spec, reasons: Vec::new() } });
        let (kind, grants) = (StartKind::Started, SmallVec::from_buf([grant]));
        self.events.push(Event { at, kind: EventKind::Started { workload: id, kind, replicas, grants } });
        if !self.s.is_settled() {
            self.s.agenda.dirty.insert(quota);
            let (state, suspended, passed_over) = (WorkloadState::Queued, false, None);
            let (units, ran) = (smallvec![0], smallvec![]);
            self.settle_after(Fresh { workload: id, units, state, suspended, passed_over, ran });
            self.explain_waiting(id);
        }
        #[cfg(debug_assertions)]
        assert_eq!(Ok(&self.events), expected.as_ref(), "the short way ends where the long one does");
    }

    /// What the long way says, on a copy.
    #[cfg(debug_assertions)]
    fn the_long_way(&self, spec: &WorkloadSpec) -> Result<Vec<Event>, crate::refusal::Refusal> {
        let mut copy = self.s.clone();
        let mut session = Session { s: &mut copy, now: self.now, events: Vec::new() };
        session.submit_to_queue(spec.clone())?;
        Ok(session.events)
    }
}
