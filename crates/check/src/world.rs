//! All that the checker knows, and the one way to change its two books.

use crate::line::Standing;
use crate::nodes::Node;
use crate::quotas::{Quota, Quotas, are_siblings, is_descendant};
use crate::violation::{Breach, Violation};
use crate::workloads::{Unit, Workload};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use tidegate_engine::caps::Cap;
use tidegate_engine::ids::{NodeId, PoolId, QuotaId, Tick, WorkloadId, WorkspaceId};
use tidegate_engine::resources::{Dimension, Resources};
use tidegate_engine::unit::{Draws, Grant};
use tidegate_engine::words::{Class, IdleUse, Module, Priority, Rule};

#[derive(Clone, Debug)]
pub(crate) struct Pool {
    pub(crate) name: String,
    pub(crate) nodes: BTreeMap<NodeId, Node>,
    pub(crate) roots: BTreeSet<QuotaId>,
}

/// What the starvation guard keeps for a workload.
#[derive(Clone, Debug)]
pub(crate) struct Reservation {
    pub(crate) accounts: Draws,
    pub(crate) nodes: Vec<(NodeId, u32)>,
}

/// Class, then the shallower quota, then priority. Larger is higher.
pub(crate) type Rank = (Class, Reverse<u8>, Priority);

#[derive(Clone, Debug, Default)]
pub(crate) struct World {
    pub(crate) now: Tick,
    pub(crate) pools: BTreeMap<PoolId, Pool>,
    pub(crate) quotas: Quotas,
    pub(crate) workloads: BTreeMap<WorkloadId, Workload>,
    /// Workloads with units.
    pub(crate) occupied: BTreeSet<WorkloadId>,
    pub(crate) reservations: BTreeMap<WorkloadId, Reservation>,
    pub(crate) caps: BTreeMap<(WorkspaceId, QuotaId), Vec<Cap>>,
    /// Roots that became smaller while accounts of their trees were overdrawn, and still are.
    pub(crate) smaller_roots: BTreeSet<QuotaId>,
    /// Accounts with a declared overdraft.
    pub(crate) overdrawn: BTreeSet<QuotaId>,
    /// What changed in this batch, to be checked at its end.
    pub(crate) touched_accounts: BTreeSet<QuotaId>,
    pub(crate) touched_workloads: BTreeSet<WorkloadId>,
}

pub(crate) type Checked<T = ()> = Result<T, Violation>;

impl World {
    pub(crate) fn broken<T>(&self, breach: Breach) -> Checked<T> {
        Err(Violation { at: self.now, breach })
    }

    pub(crate) fn pool(&self, id: PoolId) -> Checked<&Pool> {
        let unknown = Breach::Unknown { noun: "pool", id: u64::from(id.0) };
        self.pools.get(&id).map_or_else(|| self.broken(unknown), Ok)
    }

    pub(crate) fn quota(&self, id: QuotaId) -> Checked<&Quota> {
        let unknown = Breach::Unknown { noun: "quota", id: u64::from(id.0) };
        self.quotas.get(&id).map_or_else(|| self.broken(unknown), Ok)
    }

    pub(crate) fn workload(&self, id: WorkloadId) -> Checked<&Workload> {
        let unknown = Breach::Unknown { noun: "workload", id: u64::from(id.0) };
        self.workloads.get(&id).map_or_else(|| self.broken(unknown), Ok)
    }

    pub(crate) fn node(&self, pool: PoolId, id: NodeId) -> Checked<&Node> {
        let unknown = Breach::Unknown { noun: "node", id: u64::from(id.0) };
        self.pool(pool)?.nodes.get(&id).map_or_else(|| self.broken(unknown), Ok)
    }

    pub(crate) fn name(&self, id: WorkloadId) -> String {
        self.workloads.get(&id).map_or_else(|| format!("workload {}", id.0), |w| w.spec.name.to_string())
    }

    pub(crate) fn quota_name(&self, id: QuotaId) -> String {
        self.quotas.get(&id).map_or_else(|| format!("quota {}", id.0), |q| q.name.clone())
    }

    /// The workload's own quota; it exists as long as the workload lives.
    pub(crate) fn quota_of(&self, workload: &Workload) -> &Quota {
        &self.quotas[&workload.spec.quota]
    }

    pub(crate) fn rank(&self, workload: &Workload, class: Class) -> Rank {
        (class, Reverse(self.quota_of(workload).depth), workload.priority())
    }

    /// Writes a grant into both books, or takes it out again. Its accounts, nodes and devices exist.
    fn post(&mut self, id: WorkloadId, grant: &Grant, standing: Standing, sign: i64) {
        for draw in &grant.draws {
            let account = self.quotas.get_mut(&draw.account).expect("checked when it was granted");
            account.post(draw, standing, sign);
            self.touched_accounts.insert(draw.account);
        }
        let pool = self.quotas[&self.workloads[&id].spec.quota].pool;
        let nodes = &mut self.pools.get_mut(&pool).expect("the pool of a quota exists").nodes;
        for slot in &grant.slots {
            let node = nodes.get_mut(&slot.node).expect("a node in use is not removed");
            node.post(slot, standing, sign);
            if sign > 0 {
                node.units.insert((id, grant.unit));
            } else {
                node.units.remove(&(id, grant.unit));
            }
        }
    }

    fn change(&mut self, id: WorkloadId) -> &mut Workload {
        self.touched_workloads.insert(id);
        self.workloads.get_mut(&id).expect("looked up before")
    }

    pub(crate) fn enter(&mut self, id: WorkloadId, grant: &Grant, standing: Standing) {
        self.post(id, grant, standing, 1);
        let unit = Unit { grant: grant.clone(), standing, started: self.now };
        self.change(id).units.insert(grant.unit, unit);
        self.occupied.insert(id);
    }

    pub(crate) fn leave(&mut self, id: WorkloadId, number: u32) {
        let workload = self.change(id);
        let Some(unit) = workload.units.remove(&number) else { return };
        if workload.units.is_empty() {
            self.occupied.remove(&id);
        }
        self.post(id, &unit.grant, unit.standing, -1);
    }

    pub(crate) fn turn(&mut self, id: WorkloadId, number: u32, to: Standing) {
        let now = self.now;
        let unit = self.change(id).units.get_mut(&number).expect("looked up before");
        let (from, grant) = (unit.standing, unit.grant.clone());
        unit.standing = to;
        if to == Standing::Running {
            unit.started = now;
        }
        self.post(id, &grant, from, -1);
        self.post(id, &grant, to, 1);
    }

    /// A training job that changed its size starts again.
    pub(crate) fn restart(&mut self, id: WorkloadId) {
        let now = self.now;
        let workload = self.change(id);
        if workload.spec.module == Module::Training {
            let running = workload.units.values_mut().filter(|unit| unit.standing == Standing::Running);
            running.for_each(|unit| unit.started = now);
        }
    }

    pub(crate) fn refund(&mut self, id: WorkloadId, number: u32, draws: &Draws) {
        let unit = self.change(id).units.get_mut(&number).expect("looked up before");
        let standing = unit.standing;
        let before = std::mem::replace(&mut unit.grant.draws, draws.clone());
        for (list, sign) in [(&before, -1), (draws, 1)] {
            for draw in list {
                let account = self.quotas.get_mut(&draw.account).expect("checked when it was granted");
                account.post(draw, standing, sign);
                self.touched_accounts.insert(draw.account);
            }
        }
    }

    /// Whether the workload may draw on the account under the rule today, and if not, why.
    pub(crate) fn may_draw(&self, w: &Workload, account: QuotaId, rule: Rule) -> Result<(), &'static str> {
        let (q, quota) = (w.spec.quota, self.quota_of(w));
        let target = &self.quotas[&account];
        if target.root != quota.root {
            return Err("it belongs to another tree");
        }
        if w.spec.idle == IdleUse::Only && rule != Rule::Idle {
            return Err("the workload uses idle capacity only");
        }
        let (holds, why) = match rule {
            Rule::Own => (account == q, "it is not its own account"),
            Rule::ChildLevel if quota.policy.child_level.is_none() => {
                (false, "child-level preemption is off")
            }
            Rule::ChildLevel => (is_descendant(&self.quotas, account, q), "it is not below its quota"),
            Rule::SelfLevel => match &quota.policy.self_level {
                None => (false, "self-level preemption is off"),
                Some(p) if !p.high().contains(w.priority()) => (false, "its priority is not high"),
                Some(p) if !p.reaches_siblings() => (false, "the scope does not include siblings"),
                Some(_) => (are_siblings(&self.quotas, account, q), "it is not a sibling"),
            },
            Rule::Idle if w.spec.module != Module::Training => (false, "only training uses idle capacity"),
            Rule::Idle if w.spec.idle == IdleUse::Never => (false, "the workload does not use idle capacity"),
            Rule::Idle => (account == q || target.policy.idle_sharing, "idle sharing is off there"),
        };
        if holds { Ok(()) } else { Err(why) }
    }

    /// Accounts that a plan of this class may use: own, child-level, and as a loan or after evictions
    /// under tiers 2 and 3 self-level.
    pub(crate) fn plan_accounts(&self, w: &Workload, siblings: bool) -> BTreeSet<QuotaId> {
        let rules: &[Rule] = if siblings {
            &[Rule::Own, Rule::ChildLevel, Rule::SelfLevel]
        } else {
            &[Rule::Own, Rule::ChildLevel]
        };
        let tree = crate::quotas::tree(&self.quotas, self.quota_of(w).root);
        tree.into_iter().filter(|a| rules.iter().any(|r| self.may_draw(w, *a, *r).is_ok())).collect()
    }

    /// Dimensions that the tree of this quota keeps books on, besides GPUs.
    pub(crate) fn keeps(&self, quota: &Quota, d: Dimension) -> bool {
        d.model().is_some() || self.quotas[&quota.root].guarantee[d] != 0
    }

    pub(crate) fn supply(&self, pool: &Pool) -> Resources {
        pool.nodes.values().fold(Resources::default(), |sum, node| sum.plus(&node.supply()))
    }
}
