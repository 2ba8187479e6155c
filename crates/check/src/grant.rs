//! Whether a grant may be made: its draws by their rules, its slots by the demand and the nodes.

use crate::line::Standing;
use crate::nodes::matches;
use crate::quotas::{excess, share};
use crate::violation::{Breach, Figure};
use crate::workloads::Workload;
use crate::world::{Checked, World};
use std::collections::BTreeMap;
use tidegate_engine::ids::{ModelId, NodeId, WorkloadId};
use tidegate_engine::nodes::NodeState;
use tidegate_engine::resources::{Dimension, Resources, Shape, WHOLE};
use tidegate_engine::slot::Slot;
use tidegate_engine::unit::{Draw, Grant};
use tidegate_engine::words::{Class, Rule};

impl World {
    /// `firm`: the grant is part of a plan that evicted under tiers 2 or 3.
    pub(crate) fn check_grant(
        &self,
        id: WorkloadId,
        grant: &Grant,
        standing: Standing,
        firm: bool,
    ) -> Checked {
        let workload = self.workload(id)?;
        self.check_model(workload, grant)?;
        self.check_slots(workload, grant)?;
        self.check_demand(workload, grant)?;
        for draw in &grant.draws {
            self.check_draw(workload, draw, standing, firm)?;
        }
        self.check_reservations(id, grant)
    }

    /// A new draw: the account admits it, the rule allows it, the class is that of the rule.
    pub(crate) fn check_draw(
        &self,
        workload: &Workload,
        draw: &Draw,
        standing: Standing,
        firm: bool,
    ) -> Checked {
        let target = self.quota(draw.account)?;
        let (name, account, rule) =
            (workload.spec.name.to_string(), target.name.clone(), draw.rule.word().to_string());
        if let Err(why) = self.may_draw(workload, draw.account, draw.rule) {
            return self.broken(Breach::DrawNotAllowed { workload: name, account, rule, why });
        }
        if firm && draw.rule == Rule::Idle {
            let why = "a plan that evicts under tiers 2 or 3 uses no idle capacity";
            return self.broken(Breach::DrawNotAllowed { workload: name, account, rule, why });
        }
        if draw.amount <= 0 {
            let why = "the amount is not positive";
            return self.broken(Breach::DrawNotAllowed { workload: name, account, rule, why });
        }
        let expected = match draw.rule {
            Rule::Own | Rule::ChildLevel => Class::Firm,
            Rule::SelfLevel if firm => Class::Firm,
            Rule::SelfLevel => Class::Loan,
            Rule::Idle => Class::Idle,
        };
        if draw.class != expected {
            let (said, expected) = (draw.class.word().into(), expected.word());
            return self.broken(Breach::WrongClass { workload: name, account, rule, said, expected });
        }
        // A claim may wait for what leaves: it starts when the overdraft is gone.
        let waits = standing == Standing::Held;
        if !waits && target.overdraft.is_some() && excess(&self.quotas, draw.account) != Resources::default()
        {
            return self.broken(Breach::DrawOnOverdrawn { workload: name, account });
        }
        Ok(())
    }

    fn check_slots(&self, workload: &Workload, grant: &Grant) -> Checked {
        let (name, unit) = (workload.spec.name.to_string(), grant.unit);
        let wrong = |why| self.broken(Breach::WrongShape { workload: name.clone(), unit, why });
        let Some(size) = workload.unit_size(unit) else {
            return wrong("there is no unit of this number");
        };
        if grant.slots.len() != size as usize {
            return wrong("there are not as many as the unit has replicas");
        }
        if workload.wanted() + size > workload.spec.replicas() {
            return wrong("there are more than the workload has replicas");
        }
        if !fits_roles(workload, grant, size) {
            return wrong("they are not those of its roles");
        }
        let pool = self.quota_of(workload).pool;
        for slot in &grant.slots {
            let node = self.node(pool, slot.node)?;
            let why = match () {
                () if node.state == NodeState::Lost => "it is lost",
                () if node.state == NodeState::Cordoned => "it is cordoned",
                () if !allows(workload, slot.node) => "it is not among the nodes that were asked for",
                () if !node.has(slot) => "it has no such device",
                () if node.out.iter().any(|device| slot.uses(*device)) => "a device is out of service",
                () if takes_gpu(slot) && node.spec.model != grant.model => "its GPUs are of another model",
                () => continue,
            };
            let node = node.spec.name.to_string();
            return self.broken(Breach::WrongNode { workload: name, unit, node, why });
        }
        Ok(())
    }

    fn check_model(&self, workload: &Workload, grant: &Grant) -> Checked {
        let why = match grant.model {
            None if grant.slots.iter().any(takes_gpu) => "it has none and takes devices",
            None => return Ok(()),
            Some(_) if !grant.slots.iter().any(takes_gpu) => "it has one and takes no device",
            Some(model) if !workload.spec.models.allows(model) => "it was not asked for",
            Some(model) if !workload.spec.is_service() && self.other_model(workload, grant.unit, model) => {
                "other replicas of the job have another"
            }
            Some(_) => return Ok(()),
        };
        self.broken(Breach::WrongModel { workload: workload.spec.name.to_string(), unit: grant.unit, why })
    }

    fn other_model(&self, workload: &Workload, unit: u32, model: ModelId) -> bool {
        let others = workload.units.iter().filter(|(n, u)| **n != unit && u.standing != Standing::Leaving);
        others.into_iter().any(|(_, u)| u.grant.model.is_some_and(|other| other != model))
    }

    /// The draws add up to the demand in each dimension that the books keep, and state nothing else.
    pub(crate) fn check_demand(&self, workload: &Workload, grant: &Grant) -> Checked {
        let quota = self.quota_of(workload);
        let demand = demand(grant);
        let mut drawn = Resources::default();
        for draw in &grant.draws {
            drawn[draw.dimension] += draw.amount;
        }
        for d in Dimension::all() {
            let demand = if self.keeps(quota, d) { demand[d] } else { 0 };
            if drawn[d] != demand {
                let (workload, unit) = (workload.spec.name.to_string(), grant.unit);
                let drawn = Figure { dimension: d, value: drawn[d] };
                return self.broken(Breach::WrongDemand { workload, unit, drawn, demand });
            }
        }
        Ok(())
    }

    /// No lower rank starts on what is reserved, except idle units.
    fn check_reservations(&self, id: WorkloadId, grant: &Grant) -> Checked {
        let workload = self.workload(id)?;
        let class = grant.class();
        if class == Class::Idle {
            return Ok(());
        }
        for (holder, reservation) in self.reservations.iter().filter(|(holder, _)| **holder != id) {
            let claim = self.workload(*holder)?;
            if self.rank(workload, class) >= self.rank(claim, Class::Firm) {
                continue;
            }
            for draw in &grant.draws {
                let kept: i64 = reservation
                    .accounts
                    .iter()
                    .filter(|r| r.account == draw.account && r.dimension == draw.dimension)
                    .map(|r| r.amount)
                    .sum();
                let account = &self.quotas[&draw.account];
                // What leaves comes back: what matters is what is left for the claim then.
                let mut line = *account.line(draw.dimension);
                line.add(Standing::Held, draw.amount);
                let free = share(&self.quotas, draw.account)[draw.dimension] - line.promised();
                if kept > 0 && free < kept {
                    let workload = workload.spec.name.to_string();
                    let (account, reserved_for) = (account.name.clone(), claim.spec.name.to_string());
                    return self.broken(Breach::ReservationBroken { workload, account, reserved_for });
                }
            }
        }
        Ok(())
    }

    /// After a grant was posted: its accounts and nodes hold it, now and when all that leaves is gone.
    pub(crate) fn check_room(&self, id: WorkloadId, grant: &Grant) -> Checked {
        for draw in &grant.draws {
            let (account, d) = (&self.quotas[&draw.account], draw.dimension);
            let limit = share(&self.quotas, draw.account)[d];
            let line = account.line(d);
            let allowed = account.overdraft.as_ref().map_or(0, |o| o.left[d]);
            if line.used() - limit > allowed || line.held > 0 && line.promised() > limit {
                let used = Figure { dimension: d, value: line.used() };
                return self.broken(Breach::Overdrawn { account: account.name.clone(), used, limit });
            }
        }
        let pool = self.quota_of(self.workload(id)?).pool;
        for slot in &grant.slots {
            self.check_node(pool, slot.node)?;
        }
        Ok(())
    }

    fn check_node(&self, pool: tidegate_engine::ids::PoolId, node: NodeId) -> Checked {
        let node = self.node(pool, node)?;
        let name = || node.spec.name.to_string();
        for (device, line) in node.devices.iter().enumerate() {
            if line.used() > i64::from(WHOLE) {
                let (device, milli) = (device as u16, line.used());
                return self.broken(Breach::DeviceOverfull { node: name(), device, milli });
            }
        }
        for (dimension, line, capacity) in
            [(Dimension::CPU, &node.cpu, node.spec.cpu), (Dimension::MEMORY, &node.memory, node.spec.memory)]
        {
            if line.used() > capacity as i64 {
                let used = Figure { dimension, value: line.used() };
                return self.broken(Breach::NodeOverfull { node: name(), used, capacity: capacity as i64 });
            }
        }
        Ok(())
    }
}

pub(crate) fn takes_gpu(slot: &Slot) -> bool {
    slot.devices != tidegate_engine::slot::Devices::None
}

pub(crate) fn allows(workload: &Workload, node: NodeId) -> bool {
    workload.spec.nodes.as_ref().is_none_or(|nodes| nodes.contains(&node))
}

/// What the slots take, in the dimensions of the ledger.
pub(crate) fn demand(grant: &Grant) -> Resources {
    let mut sum = Resources::default();
    for slot in &grant.slots {
        if let Some(model) = grant.model {
            sum[Dimension::gpu(model)] +=
                crate::nodes::taken(&slot.devices).iter().map(|(_, m)| m).sum::<i64>();
        }
        sum[Dimension::CPU] += i64::from(slot.cpu);
        sum[Dimension::MEMORY] += slot.memory as i64;
    }
    sum
}

/// A whole gang has each role's replicas; a part of a workload has replicas of its roles.
fn fits_roles(workload: &Workload, grant: &Grant, size: u32) -> bool {
    let roles = &workload.spec.roles;
    let mut left: BTreeMap<Shape, u32> = BTreeMap::new();
    for role in roles.iter().filter(|role| role.replicas > 0) {
        *left.entry(role.shape).or_default() += role.replicas;
    }
    for slot in &grant.slots {
        let Some((_, count)) = left.iter_mut().find(|(shape, count)| **count > 0 && matches(slot, shape))
        else {
            return false;
        };
        *count -= 1;
    }
    size < workload.spec.replicas() || left.values().all(|count| *count == 0)
}
