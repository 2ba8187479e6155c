//! Tasks that have ended, put together from their records: what advice is made from.

use super::follower::Use;
use super::ledger::Ledger;
use super::reading::Wanted;
use std::collections::{BTreeMap, BTreeSet};
use tidegate_billing::advice::PastTask;
use tidegate_billing::price::Resource;
use tidegate_engine::ids::{Span, Tick, WorkloadId, WorkspaceId};
use tidegate_engine::resources::Shape;
use tidegate_engine::words::Module;

/// Records that a task has, as a rule: GPUs, cores and memory, and some more where it was interrupted.
const RECORDS: usize = 8;

#[derive(Clone, Debug, Default)]
pub struct PastTasks {
    pub tasks: Vec<PastTask>,
    /// There were more.
    pub is_cut: bool,
    /// Of what ended before this time nothing is kept.
    pub kept_from: Tick,
}

impl Ledger {
    /// Tasks of a workspace that were submitted in a period and have ended.
    pub(super) fn past_tasks(
        &self,
        room: WorkspaceId,
        (from, to): (Tick, Tick),
        most: usize,
        now: Tick,
    ) -> rusqlite::Result<PastTasks> {
        let borders = [from, to];
        let pick = |kind: &super::Kind| kind.workspace == room && kind.module == Some(Module::Task);
        let wanted = Wanted { borders: &borders, pick: &pick, workload: None };
        let listed = self.list(&wanted, 0, most.saturating_mul(RECORDS), now)?;
        let running: BTreeSet<WorkloadId> =
            listed.items.iter().filter(|(id, _)| id.is_none()).filter_map(|(_, one)| one.workload).collect();
        let mut records: BTreeMap<WorkloadId, Vec<Use>> = BTreeMap::new();
        for (_, one) in listed.items {
            if let Some(id) = one.workload.filter(|id| one.queued >= from && !running.contains(id)) {
                records.entry(id).or_default().push(one);
            }
        }
        let is_cut = listed.next.is_some() || records.len() > most;
        let tasks = records.into_values().filter_map(|records| task(&records)).collect();
        Ok(PastTasks { tasks, is_cut, kept_from: listed.kept_from })
    }
}

/// One task. What is drawn on several accounts at the same time is one amount.
fn task(records: &[Use]) -> Option<PastTask> {
    let started = records.iter().map(|one| one.from).min()?;
    let first: Vec<&Use> = records.iter().filter(|one| one.from == started).collect();
    let amount = |of: &dyn Fn(&Resource) -> bool| -> i64 {
        first.iter().filter(|one| of(&one.kind.resource)).map(|one| one.amount).sum()
    };
    let model = first.iter().find_map(|one| match &one.kind.resource {
        Resource::Gpu(model) => Some(model.clone()),
        _ => None,
    });
    let shape = Shape {
        gpu: u32::try_from(amount(&|resource| matches!(resource, Resource::Gpu(_)))).ok()?,
        cpu: u32::try_from(amount(&|resource| *resource == Resource::Cpu)).ok()?,
        memory: u64::try_from(amount(&|resource| *resource == Resource::Memory)).ok()?,
    };
    // Each run once, whatever was held in it.
    let mut runs: Vec<(Tick, Tick)> = records.iter().map(|one| (one.from, one.to)).collect();
    runs.sort_unstable();
    let (mut total, mut until) = (0, Tick::ZERO);
    for (from, to) in runs {
        total += to.since(from.max(until)).0;
        until = until.max(to);
    }
    let queued = records.first()?.queued;
    Some(PastTask { queued, started, runs: Span(total), shape, model })
}
