//! Every plan in a list of events, compared with the best one.

use crate::exhaustive::{Answer, Cost, MAX_CANDIDATES, Name, Plan, Question};
use crate::naive::queue::{is_calm, models};
use crate::story;
use std::collections::{BTreeMap, BTreeSet};
use tidegate_engine::Engine;
use tidegate_engine::event::{Event, EventKind};
use tidegate_engine::ids::{Tick, WorkloadId};

/// How often plans were as good as can be.
#[derive(Clone, Copy, Debug, Default)]
pub struct Score {
    pub plans: u32,
    /// Of equal harm with the best plan.
    pub optimal: u32,
    /// The very plan that is best, ties broken.
    pub identical: u32,
    /// Nobody is evicted, and nobody could be.
    pub refused: u32,
    /// Too large to enumerate, or not calm.
    pub open: u32,
}

impl Score {
    pub fn percent(&self) -> f64 {
        100.0 * f64::from(self.optimal) / f64::from(self.plans.max(1))
    }
}

#[derive(Clone, Debug)]
pub struct Made {
    pub by: WorkloadId,
    pub victims: BTreeSet<Name>,
    pub replicas: u32,
    /// As things were when it was decided.
    pub state: Engine,
}

/// The plans in the events of one command, each with the state it was made in. A plan that takes over a hold
/// is left out.
pub fn plans(before: &Engine, events: &[Event]) -> (Vec<Made>, Engine) {
    let mut state = before.clone();
    let mut open: BTreeMap<WorkloadId, (Engine, BTreeSet<Name>)> = BTreeMap::new();
    let mut made = Vec::new();
    for event in events {
        match &event.kind {
            EventKind::Evicted { workload, units, cause, .. } => {
                if let Some(by) = cause.by {
                    let plan = open.entry(by).or_insert_with(|| (state.clone(), BTreeSet::new()));
                    plan.1.extend(units.iter().map(|u| (*workload, *u)));
                }
            }
            EventKind::Held { workload, grants } => {
                if let Some((state, victims)) = open.remove(workload) {
                    let replicas = grants.iter().map(|g| g.slots.len() as u32).sum();
                    made.push(Made { by: *workload, victims, replicas, state });
                }
            }
            _ => {}
        }
        state.apply(event);
    }
    (made, state)
}

/// A case in which the engine's plan is not the best.
#[derive(Clone, Debug)]
pub struct Worse {
    pub ours: (BTreeSet<Name>, Cost),
    pub best: Plan,
}

impl Made {
    pub fn compare(&self, now: Tick, score: &mut Score) -> Result<Option<Worse>, String> {
        let w = self.state.workload(self.by).ok_or("a plan for nobody")?;
        let models = models(&self.state, &w.spec);
        if !is_calm(&self.state) || models.len() != 1 || self.victims.len() > MAX_CANDIDATES {
            score.open += 1;
            return Ok(None);
        }
        let question = Question::new(&self.state, now, Some(self.by), &w.spec, models[0], self.replicas);
        let best = match question.best() {
            Answer::Plan(plan) => *plan,
            Answer::Fits => return Err(format!("{} evicts, and fits without", w.spec.name)),
            Answer::None => return Err(format!("{} evicts, and no plan is allowed", w.spec.name)),
            Answer::Open => {
                score.open += 1;
                return Ok(None);
            }
        };
        let cost =
            question.judge(&self.victims).map_err(|why| format!("the plan for {}: {why}", w.spec.name))?;
        score.plans += 1;
        score.identical += u32::from(self.victims == best.victims);
        score.optimal += u32::from(cost.same_harm(&best.cost) || cost < best.cost);
        let worse = !cost.same_harm(&best.cost) && cost > best.cost;
        if w.spec.is_service() && self.replicas < w.spec.replicas() - self.running(self.by) {
            let more = Question::new(&self.state, now, Some(self.by), &w.spec, models[0], self.replicas + 1);
            if let Answer::Plan(plan) = more.best() {
                return Err(format!("{} could have one replica more, by {:?}", w.spec.name, plan.victims));
            }
        }
        Ok(worse.then(|| Worse { ours: (self.victims.clone(), cost), best }))
    }

    fn running(&self, id: WorkloadId) -> u32 {
        self.state.units(id).filter(|u| u.is_running()).count() as u32
    }
}

/// Somebody waits at the head of its queue and was not helped: then nobody may be able to.
pub fn check_refused(state: &Engine, now: Tick, id: WorkloadId, score: &mut Score) -> Result<(), String> {
    let Some(w) = state.workload(id).filter(|w| w.state.is_waiting()) else { return Ok(()) };
    let models = models(state, &w.spec);
    if !is_calm(state) || models.len() != 1 {
        return Ok(());
    }
    match Question::new(state, now, Some(id), &w.spec, models[0], w.spec.min()).best() {
        Answer::None => score.refused += 1,
        Answer::Open => score.open += 1,
        Answer::Fits => return Err(format!("{} waits, and fits", w.spec.name)),
        Answer::Plan(plan) => {
            return Err(format!(
                "{} waits, and a plan exists: {:?} {:?}",
                w.spec.name, plan.victims, plan.cost
            ));
        }
    }
    Ok(())
}

/// All that runs, for a report.
pub fn scene(engine: &Engine) -> String {
    let mut lines = Vec::new();
    for w in engine.workloads().filter(|w| !w.state.is_ended()) {
        lines.push(format!("#{} {} {}", w.id.0, w.state.word(), story::submission(engine, &w.spec)));
        for u in engine.units(w.id) {
            let slots: Vec<_> =
                u.grant.slots.iter().map(|s| format!("n{}:{:?}", s.node.0, s.devices)).collect();
            let draws: Vec<_> = u
                .grant
                .draws
                .iter()
                .map(|d| format!("q{}:{}({},{})", d.account.0, d.amount, d.rule, d.class))
                .collect();
            lines.push(format!(
                "    unit {} since {} saved {} on {} draws {}",
                u.number,
                u.started.0,
                u.saved_at.0,
                slots.join(","),
                draws.join(" ")
            ));
        }
    }
    lines.join("\n")
}
