//! Nothing starts that breaks a cap. What ran before a cap was lowered may go on.

use crate::checker::Checker;
use crate::violation::Breach;
use crate::world::{Checked, World};
use tidegate_engine::caps::{Cap, Holder};
use tidegate_engine::ids::WorkloadId;
use tidegate_engine::slot::Slot;

/// What a member uses within a cap, beside its limit: GPUs, cores, memory.
type Used = [(i128, Option<i64>); 3];

impl World {
    /// For each cap on the owner of a workload: the cap, and what counts against it.
    fn against_caps(&self, id: WorkloadId) -> Checked<Vec<(Cap, Used)>> {
        let spec = &self.workload(id)?.spec;
        let (Some(owner), Some(caps)) = (spec.owner, self.caps.get(&(spec.workspace, spec.quota))) else {
            return Ok(Vec::new());
        };
        let is_held = |cap: &&Cap| match cap.holder {
            Holder::Member(member) => member == owner.member,
            Holder::Role(role) => owner.roles.contains(role),
        };
        let used = |cap: &Cap| {
            let of_it = self.workloads.values().filter(|w| {
                (w.spec.workspace, w.spec.quota) == (spec.workspace, spec.quota)
                    && w.spec.owner.is_some_and(|o| o.member == owner.member)
                    && cap.priorities.contains(w.priority())
            });
            let slots: Vec<&Slot> =
                of_it.flat_map(|w| w.units.values()).flat_map(|u| &u.grant.slots).collect();
            let sum = |of: fn(&Slot) -> i128| slots.iter().map(|s| of(s)).sum::<i128>();
            [
                (sum(|s| i128::from(s.milli())), cap.limit.gpu),
                (sum(|s| i128::from(s.cpu)), cap.limit.cpu),
                (sum(|s| i128::from(s.memory)), cap.limit.memory),
            ]
        };
        let counted = |cap: &&Cap| cap.priorities.contains(spec.priority);
        Ok(caps.iter().filter(is_held).filter(counted).map(|cap| (*cap, used(cap))).collect())
    }
}

impl Checker {
    /// Lets `step` give a workload something, and compares what its owner uses before and after.
    pub(crate) fn within_caps(
        &mut self,
        id: WorkloadId,
        step: impl FnOnce(&mut Checker) -> Checked,
    ) -> Checked {
        if self.world.caps.is_empty() {
            return step(self);
        }
        let before = self.world.against_caps(id)?;
        step(self)?;
        let after = self.world.against_caps(id)?;
        for ((_, old), (cap, new)) in before.iter().zip(&after) {
            let breaks = |(old, new): (&(i128, _), &(i128, Option<i64>))| {
                new.0 > old.0 && new.1.is_some_and(|l| new.0 > i128::from(l))
            };
            if old.iter().zip(new).any(breaks) {
                let (workload, holder) = (self.world.name(id), format!("{:?}", cap.holder));
                return self.world.broken(Breach::CapBroken { workload, holder });
            }
        }
        Ok(())
    }
}
