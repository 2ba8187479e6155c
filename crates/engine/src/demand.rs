//! Demands, numbered: workloads that ask for the same share a lane.

use crate::caps::Owner;
use crate::ids::NodeId;
use crate::numbers::{Mix, Numbers};
use crate::resources::ModelSet;
use crate::words::{IdleUse, Module};
use crate::workload::{Roles, WorkloadSpec};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What makes two demands equal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Demand {
    roles: Roles,
    min: Option<u32>,
    module: Module,
    models: ModelSet,
    idle: IdleUse,
    nodes: Option<Box<[NodeId]>>,
    /// Where caps tell owners apart.
    owner: Option<Owner>,
}

impl Demand {
    fn of(spec: &WorkloadSpec, owner: Option<Owner>) -> Demand {
        Demand {
            roles: spec.roles.clone(),
            min: spec.min_replicas,
            module: spec.module,
            models: spec.models,
            idle: spec.idle,
            nodes: spec.nodes.clone(),
            owner,
        }
    }

    fn is_of(&self, spec: &WorkloadSpec, owner: Option<Owner>) -> bool {
        self.roles == spec.roles
            && (self.min, self.module, self.models, self.idle)
                == (spec.min_replicas, spec.module, spec.models, spec.idle)
            && self.nodes == spec.nodes
            && self.owner == owner
    }
}

fn hash(spec: &WorkloadSpec, owner: Option<Owner>) -> u32 {
    let mut mix = Mix::default();
    for role in &spec.roles {
        mix.add(u64::from(role.replicas) << 32 | u64::from(role.shape.gpu));
        mix.add(u64::from(role.shape.cpu));
        mix.add(role.shape.memory);
    }
    let min = spec.min_replicas.map_or(0, |min| u64::from(min) + 1);
    mix.add(min << 24 | u64::from(spec.models.0) << 8 | (spec.module as u64) << 4 | spec.idle as u64);
    spec.nodes.iter().flatten().for_each(|node| mix.add(node.0.into()));
    owner.iter().for_each(|owner| mix.add(owner.member.0.into()));
    mix.short()
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Demands {
    all: Vec<Demand>,
    /// GPUs of the least that starts.
    least: Vec<i64>,
    numbers: Numbers,
    /// Demands for which there was no room.
    crowd: BTreeMap<Demand, u32>,
}

impl Demands {
    /// The number of a workload's demand; with its owner, where caps tell owners apart.
    pub(crate) fn number(&mut self, spec: &WorkloadSpec, owner: Option<Owner>) -> u32 {
        let hash = hash(spec, owner);
        match self.numbers.find(hash, |n| self.all[n as usize].is_of(spec, owner)) {
            Some(number) => number,
            None => self.add(hash, Demand::of(spec, owner), spec),
        }
    }

    #[cold]
    fn add(&mut self, hash: u32, demand: Demand, spec: &WorkloadSpec) -> u32 {
        if let Some(&number) = self.crowd.get(&demand) {
            return number;
        }
        let number = self.all.len() as u32;
        if !self.numbers.insert(hash, number) {
            self.crowd.insert(demand.clone(), number);
        }
        self.all.push(demand);
        self.least.push(match spec.roles.as_slice() {
            [one] if spec.by_replica() => i64::from(one.shape.gpu),
            _ => spec.gpus(),
        });
        number
    }

    /// What stands where the demand would: a way to have it brought near.
    pub(crate) fn glance(&self, spec: &WorkloadSpec) -> u32 {
        self.numbers.glance(hash(spec, None))
    }

    /// GPUs of the least that starts, in thousandths.
    pub(crate) fn least(&self, number: u32) -> i64 {
        self.least[number as usize]
    }
}
