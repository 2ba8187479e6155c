//! What the tasks of a resource config ask for. GPUs are told apart by the models that a task may run on: those of one
//! model may be used up while there are others left.

use std::collections::BTreeMap;
use tidegate_engine::resources::{Dimension, MAX_MODELS, ModelSet, Resources};
use tidegate_engine::workload::WorkloadSpec;

/// What tasks ask for, running and waiting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Demand {
    /// Thousandths, by the models that will do.
    pub gpu: BTreeMap<ModelSet, i64>,
    /// Thousandths.
    pub cpu: i64,
    /// Bytes.
    pub memory: i64,
}

impl Demand {
    pub fn of(spec: &WorkloadSpec) -> Demand {
        let mut demand = Demand::default();
        for role in &spec.roles {
            let replicas = i64::from(role.replicas);
            *demand.gpu.entry(spec.models).or_default() += replicas * i64::from(role.shape.gpu);
            demand.cpu += replicas * i64::from(role.shape.cpu);
            let memory = i64::try_from(role.shape.memory).unwrap_or(i64::MAX);
            demand.memory = demand.memory.saturating_add(memory.saturating_mul(replicas));
        }
        demand.gpu.retain(|_, amount| *amount != 0);
        demand
    }

    /// Adds another, or with -1 takes it away.
    pub fn add(&mut self, other: &Demand, sign: i64) {
        for (models, amount) in &other.gpu {
            *self.gpu.entry(*models).or_default() += sign * amount;
        }
        self.gpu.retain(|_, amount| *amount != 0);
        self.cpu += sign * other.cpu;
        self.memory += sign * other.memory;
    }

    /// How much of an amount is asked for, in thousandths: the largest part over its resources. Of GPUs, what can only
    /// run on some models is compared with what there is of them. For a task that may run on `wanted`, GPUs that are of
    /// no use to it do not count. Books of cores and memory are not kept everywhere: what there is nothing of is left out.
    pub fn part(&self, of: &Resources, wanted: Option<ModelSet>) -> u32 {
        let of_sort = |asked: i64, all: i64| (all > 0).then(|| i128::from(asked) * 1_000 / i128::from(all));
        let there = models(of);
        let sets = self.gpu.keys().copied().chain(wanted).chain([ModelSet::ANY]);
        let gpus = sets.map(|set| within(set, there)).filter_map(|set| {
            if wanted.is_some_and(|wanted| within(wanted, there) & !set != 0) {
                return None;
            }
            let only_there = self.gpu.iter().filter(|(asked, _)| within(**asked, there) & !set == 0);
            of_sort(only_there.map(|(_, amount)| amount).sum(), each(set).map(|d| of[d]).sum())
        });
        let others = [(self.cpu, of[Dimension::CPU]), (self.memory, of[Dimension::MEMORY])];
        let others = others.into_iter().filter_map(|(asked, all)| of_sort(asked, all));
        u32::try_from(gpus.chain(others).max().unwrap_or(0)).unwrap_or(u32::MAX)
    }

    /// What is asked for and not drawn. GPUs of tasks that may run on several models are counted where `most` has room
    /// for them.
    pub fn missing(&self, drawn: &Resources, most: &Resources) -> Resources {
        let (mut missing, mut left) = (Resources::default(), *drawn);
        let there = models(most);
        let mut asked: Vec<(u32, u16, i64)> = self
            .gpu
            .iter()
            .map(|(set, amount)| (within(*set, there), *amount))
            .map(|(set, amount)| (set.count_ones(), set, amount))
            .collect();
        // Who has least choice first.
        asked.sort_unstable();
        for (_, set, mut amount) in asked {
            for d in each(set) {
                let taken = left[d].clamp(0, amount);
                left[d] -= taken;
                amount -= taken;
            }
            for d in each(set) {
                let taken = (most[d] - drawn[d] - missing[d]).clamp(0, amount);
                missing[d] += taken;
                amount -= taken;
            }
            if let Some(first) = each(set).next() {
                missing[first] += amount;
            }
        }
        for (d, asked) in [(Dimension::CPU, self.cpu), (Dimension::MEMORY, self.memory)] {
            if most[d] > 0 {
                missing[d] = (asked - drawn[d]).max(0);
            }
        }
        missing
    }
}

/// Models that there is something of.
fn models(of: &Resources) -> u16 {
    of.stated().filter_map(|(d, _)| d.model()).fold(0, |set, model| set | 1 << model.0)
}

/// Which of the models that there are will do.
fn within(set: ModelSet, there: u16) -> u16 {
    if set.0 & there == 0 { there } else { set.0 & there }
}

fn each(set: u16) -> impl Iterator<Item = Dimension> {
    (0..MAX_MODELS as u8).filter(move |model| set & (1 << model) != 0).map(Dimension)
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: ModelSet = ModelSet(1);
    const B: ModelSet = ModelSet(2);
    const BOTH: ModelSet = ModelSet(3);

    fn demand<const N: usize>(gpu: [(ModelSet, i64); N]) -> Demand {
        let gpu = gpu.into_iter().map(|(set, whole)| (set, whole * 1_000)).collect();
        Demand { gpu, ..Demand::default() }
    }

    fn gpus(a: i64, b: i64) -> Resources {
        let mut amount = Resources::default();
        (amount[Dimension(0)], amount[Dimension(1)]) = (a * 1_000, b * 1_000);
        amount
    }

    #[test]
    fn what_only_one_model_can_do_is_a_part_of_that_model() {
        let of = gpus(2, 6);
        let of_a = demand([(A, 2)]);
        assert_eq!(of_a.part(&of, None), 1_000, "all of one model");
        assert_eq!(of_a.part(&of, Some(A)), 1_000);
        assert_eq!(of_a.part(&of, Some(B)), 250, "the others are free");
        assert_eq!(of_a.part(&of, Some(ModelSet::ANY)), 250);
        let any = demand([(ModelSet::ANY, 8)]);
        for wanted in [None, Some(A), Some(B), Some(BOTH)] {
            assert_eq!(any.part(&of, wanted), 1_000, "{wanted:?}");
        }
        assert_eq!(demand([(A, 1), (B, 3), (BOTH, 2)]).part(&of, None), 750);
        // A model that there is none of cannot be told from any other: who asks for it is not let in.
        assert_eq!(demand([(ModelSet(4), 4)]).part(&of, None), 500);
        assert_eq!(of_a.part(&Resources::of(Dimension::CPU, 1_000), None), 0, "no books of GPUs");
    }

    #[test]
    fn cores_and_memory_count_where_there_are_books_of_them() {
        let mut of = gpus(4, 0);
        let asked = Demand { cpu: 900, memory: 1 << 30, ..demand([(A, 1)]) };
        assert_eq!(asked.part(&of, None), 250);
        of[Dimension::CPU] = 1_000;
        assert_eq!(asked.part(&of, None), 900);
    }

    #[test]
    fn what_is_missing_is_missing_of_the_model_that_will_do() {
        let most = gpus(2, 6);
        assert_eq!(demand([(B, 3)]).missing(&gpus(0, 1), &most), gpus(0, 2));
        assert_eq!(demand([(A, 1), (B, 3)]).missing(&gpus(1, 1), &most), gpus(0, 2));
        assert_eq!(demand([(ModelSet::ANY, 5)]).missing(&gpus(0, 0), &most), gpus(2, 3));
        assert_eq!(demand([(ModelSet::ANY, 1), (A, 2)]).missing(&gpus(2, 0), &most), gpus(0, 1));
        assert_eq!(demand([(A, 4)]).missing(&gpus(2, 0), &most), gpus(2, 0), "more than there can be");
    }
}
