//! Creating, setting and deleting quotas.

use super::check_name;
use crate::caps::{Cap, Holder, MAX_CAPS, RoleSet};
use crate::command::PolicyChange;
use crate::event::EventKind;
use crate::ids::{QuotaId, WorkspaceId};
use crate::policy::{Policy, QuotaSpec, Source};
use crate::quota_tree::{MAX_DEPTH, MAX_QUOTAS};
use crate::refusal::Refusal;
use crate::resources::{Dimension, MAX_AMOUNT, Resources};
use crate::session::Session;
use crate::state::State;

impl Session<'_> {
    pub(super) fn create_quota(&mut self, spec: QuotaSpec) -> Result<(), Refusal> {
        self.s.check_new_quota(&spec)?;
        if let Source::Parent(parent) = spec.source {
            self.make_way(parent, &spec.guarantee, &spec.name)?;
        }
        let quota = QuotaId(self.s.tree.len() as u32);
        self.emit(EventKind::QuotaCreated { quota, spec: Box::new(spec) });
        self.renew_reservations(quota);
        Ok(())
    }

    pub(super) fn set_policy(&mut self, quota: QuotaId, change: &PolicyChange) -> Result<(), Refusal> {
        let q = self.s.known_quota(quota)?;
        let (before, name) = (q.policy, q.name.to_string());
        let after = changed(&before, change);
        if after == before {
            return Err(Refusal::NothingToChange { quota: name });
        }
        self.emit(EventKind::PolicySet { quota, before: Box::new(before), after: Box::new(after) });
        self.renew_reservations(quota);
        Ok(())
    }

    pub(super) fn set_caps(
        &mut self,
        workspace: WorkspaceId,
        quota: QuotaId,
        caps: Vec<Cap>,
    ) -> Result<(), Refusal> {
        let name = self.s.known_quota(quota)?.name.to_string();
        check_caps(&caps)?;
        let before = self.s.caps.of(workspace, quota).to_vec();
        if before == caps {
            return Err(Refusal::NothingToChange { quota: name });
        }
        self.emit(EventKind::CapsSet { workspace, quota, before, after: caps });
        Ok(())
    }

    pub(super) fn delete_quota(&mut self, quota: QuotaId) -> Result<(), Refusal> {
        let q = self.s.known_quota(quota)?;
        if q.live > 0 || !q.children.is_empty() || self.s.is_drawn(quota) {
            let children = q.children.iter().map(|&c| self.s.tree[c].name.to_string()).collect();
            let mut workloads = self.s.live_in(quota);
            if workloads.is_empty() {
                workloads = self.s.drawers(quota);
            }
            return Err(Refusal::QuotaNotEmpty { quota: q.name.to_string(), children, workloads });
        }
        self.emit(EventKind::QuotaDeleted { quota });
        self.renew_reservations(quota);
        Ok(())
    }
}

fn changed(before: &Policy, change: &PolicyChange) -> Policy {
    let mut p = *before;
    p.queue.strategy = change.strategy.unwrap_or(p.queue.strategy);
    p.queue.patience = change.patience.unwrap_or(p.queue.patience);
    p.queue.aging_step = change.aging_step.unwrap_or(p.queue.aging_step);
    p.queue.starvation_guard = change.starvation_guard.unwrap_or(p.queue.starvation_guard);
    p.idle_sharing = change.idle_sharing.unwrap_or(p.idle_sharing);
    p.protect_for = change.protect_for.unwrap_or(p.protect_for);
    p.child_level = change.child_level.unwrap_or(p.child_level);
    p.self_level = change.self_level.unwrap_or(p.self_level);
    p
}

impl State {
    fn check_new_quota(&self, spec: &QuotaSpec) -> Result<(), Refusal> {
        check_name(&spec.name)?;
        if self.quota_names.get(&spec.name).is_some() {
            return Err(Refusal::NameTaken { noun: "quota", name: spec.name.to_string() });
        }
        if self.tree.len() >= MAX_QUOTAS {
            return Err(Refusal::TooMany { noun: "quotas", limit: MAX_QUOTAS as u64 });
        }
        check_guarantee(&spec.guarantee)?;
        match spec.source {
            Source::Pool(pool) => {
                let Some(p) = self.pools.get(pool.index()) else {
                    return Err(Refusal::UnknownPool { pool: format!("#{}", pool.0) });
                };
                let supply = self.supply(pool).minus(&self.promised_by(pool));
                if spec.guarantee.stated().any(|(d, a)| a > supply[d]) {
                    return Err(Refusal::PoolTooSmall {
                        pool: p.name.to_string(),
                        models: p.models.clone(),
                        supply,
                        asked: spec.guarantee,
                    });
                }
            }
            Source::Parent(parent) => {
                let p = self.known_quota(parent)?;
                if p.depth >= MAX_DEPTH {
                    return Err(Refusal::TreeTooDeep {
                        quota: spec.name.to_string(),
                        depth: p.depth + 1,
                        limit: MAX_DEPTH,
                    });
                }
                self.check_dimensions(&spec.name, p.root, &spec.guarantee)?;
                self.check_share(parent, &spec.guarantee)?;
            }
        }
        Ok(())
    }

    /// A child states exactly the dimensions that its root keeps, or nothing at all: then it has nothing of each.
    pub(super) fn check_dimensions(
        &self,
        quota: &str,
        root: QuotaId,
        guarantee: &Resources,
    ) -> Result<(), Refusal> {
        if *guarantee == Resources::default() {
            return Ok(());
        }
        let models = &self.pool_of(root).models;
        for d in [Dimension::CPU, Dimension::MEMORY] {
            let (quota, models, root_name) =
                (quota.to_string(), models.clone(), self.tree[root].name.to_string());
            match (self.tree.keeps(root, d), guarantee[d] > 0) {
                (false, true) => {
                    return Err(Refusal::DimensionNotKept { quota, models, dimension: d, root: root_name });
                }
                (true, false) => {
                    return Err(Refusal::DimensionMissing { quota, models, dimension: d, root: root_name });
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether a parent's share covers what a child asks for.
    pub(super) fn check_share(&self, parent: QuotaId, asked: &Resources) -> Result<(), Refusal> {
        let mut share = Resources::default();
        Dimension::all().for_each(|d| share[d] = self.ledger.cell(parent, d).share);
        if asked.stated().all(|(d, a)| a <= share[d]) {
            return Ok(());
        }
        let p = &self.tree[parent];
        Err(Refusal::ShareTooSmall {
            parent: p.name.to_string(),
            models: self.pool_of(parent).models.clone(),
            share,
            asked: *asked,
        })
    }

    fn is_drawn(&self, quota: QuotaId) -> bool {
        Dimension::all().any(|d| self.ledger.cell(quota, d).drawn > 0 || self.ledger.cell(quota, d).held > 0)
    }

    /// Names of workloads of a quota that have not ended.
    fn live_in(&self, quota: QuotaId) -> Vec<String> {
        let live = self.workloads.iter().flatten().filter(|w| w.spec.quota == quota && !w.state.is_ended());
        live.map(|w| w.spec.name.to_string()).collect()
    }

    /// Names of workloads that draw on an account or hold some of it.
    pub(super) fn drawers(&self, account: QuotaId) -> Vec<String> {
        let mut ids: Vec<_> = self
            .units
            .iter()
            .filter(|(_, u)| u.grant.draws.iter().any(|d| d.account == account))
            .map(|(_, u)| u.workload)
            .collect();
        ids.sort_unstable();
        ids.dedup();
        ids.into_iter().map(|id| self.w(id).spec.name.to_string()).collect()
    }
}

/// Every amount is within bounds.
pub(super) fn check_guarantee(r: &Resources) -> Result<(), Refusal> {
    match r.0.iter().find(|a| !(0..=MAX_AMOUNT).contains(*a)) {
        Some(a) => Err(Refusal::BadAmount {
            what: "a guarantee of".into(),
            value: a.to_string(),
            why: "is out of bounds",
        }),
        None => Ok(()),
    }
}

/// Every cap names priorities, a role that there can be, and amounts within bounds.
fn check_caps(caps: &[Cap]) -> Result<(), Refusal> {
    if caps.len() > MAX_CAPS {
        return Err(Refusal::TooMany { noun: "caps of a workspace in a quota", limit: MAX_CAPS as u64 });
    }
    for cap in caps {
        if cap.priorities.is_empty() {
            return Err(Refusal::EmptyPolicySet { policy: "cap", set: "priority" });
        }
        let amounts = [cap.limit.gpu, cap.limit.cpu, cap.limit.memory];
        let bad = |what: &str, value: String| {
            Err(Refusal::BadAmount { what: what.into(), value, why: "is out of bounds" })
        };
        if let Some(a) = amounts.into_iter().flatten().find(|a| !(0..=MAX_AMOUNT).contains(a)) {
            return bad("a cap of", a.to_string());
        }
        match cap.holder {
            Holder::Role(role) if !RoleSet::default().with(role).contains(role) => {
                return bad("the number of a role,", role.0.to_string());
            }
            _ => {}
        }
    }
    Ok(())
}
