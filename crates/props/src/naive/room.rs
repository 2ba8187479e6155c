//! Room on nodes, by looking at every device.

use crate::naive::books::units;
use tidegate_engine::Engine;
use tidegate_engine::ids::{ModelId, NodeId, PoolId};
use tidegate_engine::nodes::NodeState;
use tidegate_engine::resources::{Shape, WHOLE};
use tidegate_engine::slot::{Devices, Slot};
use tidegate_engine::unit::Unit;
use tidegate_engine::workload::{Role, WorkloadSpec};

/// Placements that are tried for replicas of several kinds before the question is left open.
const MAX_TRIES: u32 = 20_000;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Host {
    id: NodeId,
    model: Option<ModelId>,
    /// Thousandths free, by device.
    milli: Vec<i64>,
    cpu: i64,
    memory: i64,
}

/// What ready nodes have free.
#[derive(Clone, Debug)]
pub struct Room(Vec<Host>);

/// What has to be placed, and where it may be.
#[derive(Clone, Debug)]
pub struct Load {
    pub roles: Vec<Role>,
    pub model: Option<ModelId>,
    pub nodes: Option<Box<[NodeId]>>,
}

impl Load {
    /// `replicas` of a workload that is admitted replica by replica, or the whole gang.
    pub fn of(spec: &WorkloadSpec, model: Option<ModelId>, replicas: u32) -> Load {
        let mut roles: Vec<Role> = spec.roles.to_vec();
        if spec.by_replica() {
            roles[0].replicas = replicas;
        }
        Load { roles, model, nodes: spec.nodes.clone() }
    }

    /// GPUs in thousandths, cores in thousandths, bytes.
    pub fn totals(&self) -> [i64; 3] {
        let sum =
            |of: fn(&Shape) -> i64| self.roles.iter().map(|r| i64::from(r.replicas) * of(&r.shape)).sum();
        [sum(|s| i64::from(s.gpu)), sum(|s| i64::from(s.cpu)), sum(|s| s.memory as i64)]
    }
}

impl Host {
    fn shift(&mut self, slot: &Slot, sign: i64) {
        match &slot.devices {
            Devices::None => {}
            Devices::Part { device, milli } => self.milli[usize::from(*device)] += sign * i64::from(*milli),
            Devices::Mask(mask) => {
                let taken = (0..64).filter(|d| mask >> d & 1 == 1);
                taken.for_each(|d| self.milli[d] += sign * i64::from(WHOLE));
            }
            Devices::List(list) => {
                list.iter().for_each(|d| self.milli[usize::from(*d)] += sign * i64::from(WHOLE))
            }
        }
        self.cpu += sign * i64::from(slot.cpu);
        self.memory += sign * slot.memory as i64;
    }

    /// Replicas of one shape that it has room for.
    fn fits(&self, shape: &Shape) -> i64 {
        let whole = i64::from(WHOLE);
        let gpu = i64::from(shape.gpu);
        let mut most = match gpu {
            0 => i64::MAX,
            part if part < whole => self.milli.iter().map(|m| m.max(&0) / part).sum(),
            _ => self.milli.iter().filter(|m| **m == whole).count() as i64 / (gpu / whole),
        };
        if shape.cpu > 0 {
            most = most.min(self.cpu.max(0) / i64::from(shape.cpu));
        }
        if shape.memory > 0 {
            most = most.min(self.memory.max(0) / shape.memory as i64);
        }
        most
    }

    /// Every way to seat one replica that differs in what is left.
    fn seatings(&self, shape: &Shape) -> Vec<Host> {
        if self.fits(shape) < 1 {
            return Vec::new();
        }
        let mut base = self.clone();
        base.cpu -= i64::from(shape.cpu);
        base.memory -= shape.memory as i64;
        let (whole, gpu) = (i64::from(WHOLE), i64::from(shape.gpu));
        if gpu == 0 {
            return vec![base];
        }
        if gpu >= whole {
            let free = base.milli.iter_mut().filter(|m| **m == whole);
            free.take((gpu / whole) as usize).for_each(|m| *m = 0);
            return vec![base];
        }
        let mut levels: Vec<i64> = self.milli.iter().copied().filter(|m| *m >= gpu).collect();
        levels.sort_unstable();
        levels.dedup();
        let seat = |level: &i64| {
            let mut host = base.clone();
            let device = host.milli.iter().position(|m| m == level).expect("a level is some device's");
            host.milli[device] -= gpu;
            host
        };
        levels.iter().map(seat).collect()
    }
}

impl Room {
    /// Ready nodes of a pool, less what the units that `count` occupy.
    pub fn of(engine: &Engine, pool: PoolId, count: impl Fn(&Unit) -> bool) -> Room {
        let nodes = engine.pool(pool).into_iter().flat_map(|p| p.nodes.iter().map(|n| (&p.nodes, n)));
        let hosts = nodes.filter(|(_, n)| n.state == NodeState::Ready).map(|(nodes, n)| Host {
            id: n.id,
            model: n.spec.model,
            milli: (0..n.spec.gpus as u16)
                .map(|d| if nodes.out_of_service(n.id, d).is_some() { 0 } else { i64::from(WHOLE) })
                .collect(),
            cpu: n.spec.cpu as i64,
            memory: n.spec.memory as i64,
        });
        let mut room = Room(hosts.collect());
        let here = |u: &&Unit| engine.quota(u.quota).is_some_and(|q| q.pool == pool);
        for u in units(engine).filter(here).filter(|u| count(u)) {
            u.grant.slots.iter().for_each(|s| room.shift(s, -1));
        }
        room
    }

    fn shift(&mut self, slot: &Slot, sign: i64) {
        if let Some(host) = self.0.iter_mut().find(|h| h.id == slot.node) {
            host.shift(slot, sign);
        }
    }

    pub fn give_back(&mut self, unit: &Unit) {
        unit.grant.slots.iter().for_each(|s| self.shift(s, 1));
    }

    pub fn take(&mut self, unit: &Unit) {
        unit.grant.slots.iter().for_each(|s| self.shift(s, -1));
    }

    fn usable<'a>(&'a self, load: &'a Load) -> impl Iterator<Item = &'a Host> {
        let model = move |h: &Host| load.model.is_none() || h.model == load.model;
        let named = move |h: &Host| load.nodes.as_ref().is_none_or(|list| list.contains(&h.id));
        self.0.iter().filter(move |h| model(h) && named(h))
    }

    /// Whether all of it has room at once; `None` if the question is too large.
    pub fn holds(&self, load: &Load) -> Option<bool> {
        if let [role] = load.roles.as_slice() {
            let mut left = i64::from(role.replicas);
            for host in self.usable(load) {
                left -= host.fits(&role.shape).min(left);
            }
            return Some(left == 0);
        }
        let mut items: Vec<Shape> =
            load.roles.iter().flat_map(|r| std::iter::repeat_n(r.shape, r.replicas as usize)).collect();
        items.sort_unstable_by(|a, b| b.cmp(a));
        let mut hosts: Vec<Host> = self.usable(load).cloned().collect();
        let mut tries = MAX_TRIES;
        seat(&mut hosts, &items, 0, &mut tries)
    }
}

/// Seats the items in order; equal ones on hosts in order.
fn seat(hosts: &mut Vec<Host>, items: &[Shape], from: usize, tries: &mut u32) -> Option<bool> {
    let Some((first, rest)) = items.split_first() else { return Some(true) };
    for at in from..hosts.len() {
        for seated in hosts[at].seatings(first) {
            *tries = tries.checked_sub(1)?;
            let before = std::mem::replace(&mut hosts[at], seated);
            let next = if rest.first() == Some(first) { at } else { 0 };
            let done = seat(hosts, rest, next, tries)?;
            hosts[at] = before;
            if done {
                return Some(true);
            }
        }
    }
    Some(false)
}
