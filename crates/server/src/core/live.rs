//! Which tasks of a resource config have not ended, and what they ask for: kept as they come and go, so that sending a
//! task somewhere costs the same however many there are.

use std::collections::{BTreeMap, BTreeSet};
use tidegate_billing::demand::Demand;
use tidegate_engine::ids::{QuotaId, WorkloadId};

/// Live tasks of one quota.
#[derive(Clone, Debug, Default)]
pub struct Crew {
    pub tasks: BTreeSet<WorkloadId>,
    pub demand: Demand,
}

/// Of the quotas of all resource configs.
#[derive(Clone, Debug, Default)]
pub struct Live {
    crews: BTreeMap<QuotaId, Crew>,
}

impl Live {
    pub fn of(&self, quota: QuotaId) -> Option<&Crew> {
        self.crews.get(&quota)
    }

    pub fn insert(&mut self, quota: QuotaId, task: WorkloadId, demand: &Demand) {
        let crew = self.crews.entry(quota).or_default();
        if crew.tasks.insert(task) {
            crew.demand.add(demand, 1);
        }
    }

    pub fn remove(&mut self, quota: QuotaId, task: WorkloadId, demand: &Demand) {
        let Some(crew) = self.crews.get_mut(&quota) else { return };
        if crew.tasks.remove(&task) {
            crew.demand.add(demand, -1);
        }
        if crew.tasks.is_empty() {
            self.crews.remove(&quota);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidegate_engine::resources::ModelSet;

    #[test]
    fn what_is_asked_for_follows_who_comes_and_goes() {
        let (mut live, quota) = (Live::default(), QuotaId(3));
        let gpu = |amount| [(ModelSet::ANY, amount)].into();
        let one = Demand { gpu: gpu(500), cpu: 1_000, memory: 7 };
        for id in [1, 2, 2] {
            live.insert(quota, WorkloadId(id), &one);
        }
        let two = Demand { gpu: gpu(1_000), cpu: 2_000, memory: 14 };
        assert_eq!(live.of(quota).map(|crew| &crew.demand), Some(&two));
        live.remove(quota, WorkloadId(1), &one);
        live.remove(quota, WorkloadId(1), &one);
        assert_eq!(live.of(quota).map(|crew| &crew.demand), Some(&one));
        live.remove(quota, WorkloadId(2), &one);
        assert!(live.of(quota).is_none());
    }
}
