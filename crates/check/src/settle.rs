//! What must hold when a batch is complete.

use crate::checker::Checker;
use crate::line::Standing;
use crate::quotas::{excess, share, tree};
use crate::violation::{Breach, Figure};
use crate::workloads::Phase;
use crate::world::{Checked, World};
use std::collections::BTreeSet;
use tidegate_engine::ids::{PoolId, QuotaId, WorkloadId};
use tidegate_engine::nodes::NodeState;
use tidegate_engine::resources::{Dimension, Resources};

impl Checker {
    pub(crate) fn close(&mut self) -> Checked {
        self.check_operator()?;
        if let Some((by, evictions)) = self.batch.pending.first_key_value() {
            let (preemptor, victims) = (self.world.name(*by), evictions.len());
            return self.world.broken(Breach::NothingGranted { preemptor, victims });
        }
        if let Some(by) = self.batch.takeovers.keys().next() {
            let (preemptor, why) = (self.world.name(*by), "it took over a hold and was given nothing");
            return self.world.broken(Breach::WrongPlan { preemptor, why });
        }
        let touched: Vec<QuotaId> = self.world.touched_accounts.iter().copied().collect();
        for id in &touched {
            self.check_account(*id)?;
        }
        // Accounts within their shares keep a tree within its guarantee: only a change of the tree or
        // an overdraft makes it worth adding up.
        let overdrawn = self.world.overdrawn.iter().map(|id| self.world.quotas[id].root);
        let trees: BTreeSet<QuotaId> = self.batch.trees.iter().copied().chain(overdrawn).collect();
        for root in trees {
            let smaller = |(q, from, to): &(QuotaId, Resources, Resources)| {
                *q == root && Dimension::all().any(|d| to[d] < from[d])
            };
            let smaller = self.batch.scaled.iter().any(smaller);
            self.world.note_smaller_root(root, smaller);
            self.world.check_tree(root)?;
        }
        for pool in &self.batch.pools {
            self.world.check_supply(*pool)?;
        }
        self.check_lost()?;
        for id in &self.world.touched_workloads {
            self.world.check_standing(*id)?;
        }
        Ok(())
    }

    fn check_account(&mut self, id: QuotaId) -> Checked {
        let world = &self.world;
        let Some(quota) = world.quotas.get(&id) else { return Ok(()) };
        let (share, beyond) = (share(&world.quotas, id), excess(&world.quotas, id));
        for d in Dimension::all() {
            let figure = |value| Figure { dimension: d, value };
            if share[d] < 0 {
                let (quota, share) = (quota.name.clone(), figure(share[d]));
                return world.broken(Breach::NegativeShare { quota, share });
            }
            let account = quota.name.clone();
            match &quota.overdraft {
                None if beyond[d] > 0 => {
                    let (used, limit) = (figure(quota.line(d).used()), share[d]);
                    return world.broken(Breach::Overdrawn { account, used, limit });
                }
                Some(overdraft) if beyond[d] > overdraft.left[d] => {
                    let (by, allowed) = (figure(beyond[d]), overdraft.left[d]);
                    return world.broken(Breach::OverdraftGrew { account, by, allowed });
                }
                _ => {}
            }
        }
        if let Some(overdraft) = &mut self.world.quotas.get_mut(&id).expect("found above").overdraft {
            overdraft.left = beyond;
            // What is in transit to it keeps it overdrawn as far as it is drawn already.
            let (quota, late) = (&self.world.quotas[&id], self.world.in_transit(id));
            if Dimension::all().all(|d| quota.line(d).drawn() + quota.line(d).held + late[d] <= share[d]) {
                let account = self.world.quota_name(id);
                return self.world.broken(Breach::OverdraftNotSettled { account });
            }
        }
        Ok(())
    }

    /// Nobody is left on a node that is lost, nor on a device that is out of service, and nobody lost what is not.
    fn check_lost(&self) -> Checked {
        for (pool, id) in &self.batch.broken {
            let Some(node) = self.world.pool(*pool)?.nodes.get(id) else { continue };
            let on_it = |(workload, unit): &&(WorkloadId, u32)| {
                let slots = &self.world.workloads[workload].units[unit].grant.slots;
                slots.iter().any(|slot| slot.node == *id && node.out.iter().any(|device| slot.uses(*device)))
            };
            if let Some((workload, _)) = node.units.iter().find(on_it) {
                let (node, workload) = (node.spec.name.to_string(), self.world.name(*workload));
                let why = "has a device out of service";
                return self.world.broken(Breach::NodeInUse { node, workload, why });
            }
        }
        for (pool, id) in self.batch.lost.difference(&self.batch.broken) {
            let Some(node) = self.world.pool(*pool)?.nodes.get(id) else { continue };
            let name = node.spec.name.to_string();
            if node.state != NodeState::Lost {
                let (said, counted) = ("lost".into(), format!("{:?}", node.state).to_lowercase());
                return self.world.broken(Breach::WrongRecord { of: name, what: "it is", said, counted });
            }
            if let Some((workload, _)) = node.units.first() {
                let workload = self.world.name(*workload);
                return self.world.broken(Breach::NodeInUse { node: name, workload, why: "is lost" });
            }
        }
        Ok(())
    }
}

impl World {
    fn tree_draws(&self, root: QuotaId) -> Resources {
        let mut sum = Resources::default();
        for id in tree(&self.quotas, root) {
            Dimension::all().for_each(|d| sum[d] += self.quotas[&id].line(d).drawn());
        }
        sum
    }

    /// A root that became smaller gave away what its tree still draws by overdrafts, until these are gone.
    fn note_smaller_root(&mut self, root: QuotaId, became_smaller: bool) {
        if became_smaller {
            self.smaller_roots.insert(root);
        }
        if !self.overdrawn.iter().any(|id| self.quotas[id].root == root) {
            self.smaller_roots.remove(&root);
        }
    }

    pub(crate) fn check_tree(&self, root: QuotaId) -> Checked {
        let Some(top) = self.quotas.get(&root) else { return Ok(()) };
        let drawn = self.tree_draws(root);
        let members = tree(&self.quotas, root).into_iter().filter(|_| self.smaller_roots.contains(&root));
        let allowed = members.fold(Resources::default(), |sum, id| sum.plus(&excess(&self.quotas, id)));
        for d in Dimension::all() {
            if drawn[d] > top.guarantee[d] + allowed[d] {
                let figure = Figure { dimension: d, value: drawn[d] };
                return self.broken(Breach::TreeOverdrawn {
                    root: top.name.clone(),
                    drawn: figure,
                    guarantee: top.guarantee[d],
                });
            }
        }
        Ok(())
    }

    pub(crate) fn check_supply(&self, id: PoolId) -> Checked {
        let pool = self.pool(id)?;
        let supply = self.supply(pool);
        let promised =
            pool.roots.iter().fold(Resources::default(), |sum, root| sum.plus(&self.quotas[root].guarantee));
        for d in Dimension::all() {
            if promised[d] > supply[d] {
                let (pool, promised) = (pool.name.clone(), Figure { dimension: d, value: promised[d] });
                return self.broken(Breach::PoolOversold { pool, promised, supply: supply[d] });
            }
        }
        Ok(())
    }

    /// The phase of a workload agrees with its units.
    pub(crate) fn check_standing(&self, id: WorkloadId) -> Checked {
        let Some(workload) = self.workloads.get(&id) else { return Ok(()) };
        let has = |standing| workload.has(standing);
        let why = match workload.phase {
            Phase::Running if !has(Standing::Running) => "is said to run, and nothing of it does",
            Phase::Running => return Ok(()),
            _ if has(Standing::Running) => "does not run, and a unit of it does",
            Phase::Held if !has(Standing::Held) => "is said to be held, and nothing is held for it",
            Phase::Held => return Ok(()),
            _ if has(Standing::Held) => "is not to start, and capacity is held for it",
            Phase::Leaving(_) if !has(Standing::Leaving) => "has left, and is neither queued again nor ended",
            _ => return Ok(()),
        };
        self.broken(Breach::Dangling { workload: self.name(id), why })
    }
}
