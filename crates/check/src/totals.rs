//! The checker's books as plain sums, to be compared with the engine's.

use crate::checker::Checker;
use crate::line::{Line, Standing};
use crate::quotas::share;
use crate::violation::{Breach, Figure};
use crate::world::Checked;
use std::collections::BTreeMap;
use tidegate_engine::ids::{NodeId, PoolId, QuotaId, WorkloadId};
use tidegate_engine::resources::{Dimension, WHOLE};
use tidegate_engine::words::Rule;

/// Entries of zero are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Draws of what runs or leaves.
    pub drawn: BTreeMap<(QuotaId, Dimension, Rule), i64>,
    /// All claims, covered or not.
    pub held: BTreeMap<(QuotaId, Dimension), i64>,
    /// Thousandths of each device under what runs or leaves.
    pub devices: BTreeMap<(PoolId, NodeId, u16), i64>,
    /// Replicas that run.
    pub running: BTreeMap<WorkloadId, u32>,
}

impl Checker {
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for (id, quota) in &self.world.quotas {
            for ((d, rule), amount) in quota.by_rule.iter().filter(|(_, amount)| **amount != 0) {
                totals.drawn.insert((*id, *d, *rule), *amount);
            }
            for d in Dimension::all().filter(|d| quota.line(*d).held != 0) {
                totals.held.insert((*id, d), quota.line(d).held);
            }
        }
        for (pool, book) in &self.world.pools {
            for (id, node) in &book.nodes {
                for (i, line) in node.devices.iter().enumerate().filter(|(_, line)| line.drawn() != 0) {
                    totals.devices.insert((*pool, *id, i as u16), line.drawn());
                }
            }
        }
        let running = self.world.occupied.iter().map(|id| (*id, self.world.workloads[id].running()));
        totals.running = running.filter(|(_, replicas)| *replicas > 0).collect();
        totals
    }

    /// Adds up everything once more from the units, and checks what is otherwise checked as it changes.
    pub fn finish(&self) -> Checked {
        let world = &self.world;
        let mut accounts: BTreeMap<(QuotaId, Dimension), Line> = BTreeMap::new();
        for id in &world.occupied {
            for unit in world.workloads[id].units.values() {
                for draw in &unit.grant.draws {
                    accounts
                        .entry((draw.account, draw.dimension))
                        .or_default()
                        .add(unit.standing, draw.amount);
                }
            }
        }
        for (id, quota) in &world.quotas {
            for d in Dimension::all() {
                let line = accounts.get(&(*id, d)).copied().unwrap_or_default();
                let limit = share(&world.quotas, *id)[d];
                let beyond = line.used() > limit && quota.overdraft.is_none();
                if line != *quota.line(d) || beyond {
                    let used = Figure { dimension: d, value: line.used() };
                    return world.broken(Breach::Overdrawn { account: quota.name.clone(), used, limit });
                }
            }
        }
        for (id, pool) in &world.pools {
            world.check_supply(*id)?;
            pool.roots.iter().try_for_each(|root| world.check_tree(*root))?;
            for node in pool.nodes.values() {
                let full = |line: &Line| line.used() > i64::from(WHOLE);
                if let Some(device) = node.devices.iter().position(full) {
                    let (milli, device) = (node.devices[device].used(), device as u16);
                    let node = node.spec.name.to_string();
                    return world.broken(Breach::DeviceOverfull { node, device, milli });
                }
            }
        }
        world.workloads.keys().try_for_each(|id| world.check_standing(*id))
    }

    /// Draws of what runs or leaves.
    pub fn drawn(&self, account: QuotaId, dimension: Dimension) -> i64 {
        self.line(account, dimension).drawn()
    }

    /// Units of a workload that hold draws, and whether each of them runs.
    pub fn units(&self, workload: WorkloadId) -> Vec<(u32, bool)> {
        let found = self.world.workloads.get(&workload);
        let units = found.into_iter().flat_map(|w| w.units.iter());
        units.map(|(n, unit)| (*n, unit.standing == Standing::Running)).collect()
    }
}
