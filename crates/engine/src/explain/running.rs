//! What runs, or is held: what is missing of it, and whom it waits for.

use crate::ids::{NodeId, QuotaId, WorkloadId};
use crate::state::State;
use crate::unit::{Unit, UnitState};
use crate::workload::{Workload, WorkloadState};

impl State {
    /// Replicas that run, of those that it asks for, if some are missing.
    pub(super) fn partly(&self, w: &Workload) -> Option<(u32, u32)> {
        let (running, all) = (self.running_replicas(w), w.spec.replicas());
        (w.state == WorkloadState::Running && running < all).then_some((running, all))
    }

    /// Workloads with a hold on an account, in order of submission.
    pub(super) fn holders_on(&self, account: QuotaId) -> Vec<WorkloadId> {
        let held = self.held.iter().map(|(_, key)| &self.units[key.unit]);
        sorted(held.filter(|u| u.grant.draws.iter().any(|d| d.account == account)))
    }

    /// Who leaves for it; failing that, who leaves where it lacks devices; failing that, balance.
    pub(super) fn waits_for(&self, w: &Workload) -> Vec<WorkloadId> {
        let lacking: Vec<&Unit> = w
            .units
            .iter()
            .map(|&u| &self.units[u])
            .filter(|u| u.state == UnitState::Held && u.pending.is_some())
            .collect();
        if lacking.is_empty() {
            return Vec::new();
        }
        let nodes: Vec<NodeId> = lacking.iter().flat_map(|u| missing_at(u)).collect();
        let accounts: Vec<QuotaId> = lacking.iter().flat_map(|u| missing_on(u)).collect();
        let leaving = || self.leaving.iter().map(|&u| &self.units[u]);
        let here = |u: &&Unit| self.tree[u.quota].pool == self.tree[w.spec.quota].pool;
        let for_it = sorted(leaving().filter(|u| u.claimant == Some(w.id)));
        if !for_it.is_empty() {
            return for_it;
        }
        let there = leaving().filter(here).filter(|u| u.grant.slots.iter().any(|s| nodes.contains(&s.node)));
        let there = sorted(there);
        if !there.is_empty() {
            return there;
        }
        sorted(leaving().filter(|u| u.grant.draws.iter().any(|d| accounts.contains(&d.account))))
    }
}

fn sorted<'a>(units: impl Iterator<Item = &'a Unit>) -> Vec<WorkloadId> {
    let mut ids: Vec<WorkloadId> = units.map(|u| u.workload).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Nodes on which a hold has not got all its devices yet.
fn missing_at(u: &Unit) -> Vec<NodeId> {
    let Some(pending) = &u.pending else { return Vec::new() };
    let planned = u.grant.slots.iter().zip(&pending.slots);
    planned
        .filter(|(plan, have)| have.as_slice() != std::slice::from_ref(*plan))
        .map(|(p, _)| p.node)
        .collect()
}

/// Accounts on which a hold has not got all its balance yet.
fn missing_on(u: &Unit) -> Vec<QuotaId> {
    let Some(pending) = &u.pending else { return Vec::new() };
    let planned = u.grant.draws.iter().zip(&pending.drawn);
    planned.filter(|(plan, have)| **have < plan.amount).map(|(p, _)| p.account).collect()
}
