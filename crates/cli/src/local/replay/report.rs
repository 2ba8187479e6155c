//! How the jobs of a trace fared.

use super::trace::Job;
use crate::clock::short;
use crate::output::table::{Cell, Table};
use serde::Serialize;
use std::collections::BTreeMap;
use tidegate_engine::event::{Event, EventKind};
use tidegate_engine::ids::Tick;
use tidegate_engine::resources::WHOLE;
use tidegate_engine::{Engine, Refusal};
use tidegate_sim::runner::Watch;

/// What is known of one job while the trace is replayed.
#[derive(Clone, Debug)]
struct Course {
    quota: Box<str>,
    submitted: Tick,
    started: Option<Tick>,
    is_finished: bool,
    preemptions: u32,
    /// Thousandths of a GPU, times milliseconds of work.
    work: u128,
}

/// Takes down what happens. Workloads are numbered in the order in which they are accepted.
#[derive(Clone, Debug)]
pub(super) struct Scribe {
    courses: Vec<Course>,
    refused: BTreeMap<Box<str>, u64>,
    first_refusal: Option<String>,
    /// The job that is being submitted.
    coming: Option<Course>,
    /// Thousandths of a GPU in all pools.
    gpus: u64,
    last_end: Tick,
}

/// Figures of one quota, or of all. Times are milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Figures {
    pub(super) jobs: u64,
    pub(super) refused: u64,
    pub(super) finished: u64,
    mean_wait: u64,
    median_wait: u64,
    p95_wait: u64,
    longest_wait: u64,
    pub(super) preemptions: u64,
    /// Of jobs that finished.
    gpu_hours: f64,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Report {
    pub(super) quotas: BTreeMap<Box<str>, Figures>,
    pub(super) total: Figures,
    /// Milliseconds from the first submission to the last end.
    makespan: u64,
    gpus: f64,
    /// Work that was finished, of what all GPUs could have done until the last end.
    utilisation: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) first_refusal: Option<String>,
}

impl Watch for Scribe {
    fn events(&mut self, _: &Engine, events: &[Event]) {
        for event in events {
            match &event.kind {
                EventKind::Queued { .. } => self.courses.extend(self.coming.take()),
                EventKind::Started { workload, .. } => {
                    if let Some(course) = self.courses.get_mut(workload.index()) {
                        course.started.get_or_insert(event.at);
                    }
                }
                EventKind::Evicted { workload, .. } => {
                    if let Some(course) = self.courses.get_mut(workload.index()) {
                        course.preemptions += 1;
                    }
                }
                EventKind::Finished { workload } => {
                    self.last_end = event.at;
                    if let Some(course) = self.courses.get_mut(workload.index()) {
                        course.is_finished = true;
                    }
                }
                _ => {}
            }
        }
    }
}

impl Scribe {
    pub(super) fn new(engine: &Engine) -> Scribe {
        let pools = (0..=u16::MAX).map_while(|id| engine.pool(tidegate_engine::ids::PoolId(id)));
        let gpus =
            pools.flat_map(|pool| pool.nodes.iter()).map(|node| u64::from(node.spec.gpus)).sum::<u64>();
        Scribe {
            courses: Vec::new(),
            refused: BTreeMap::new(),
            first_refusal: None,
            coming: None,
            gpus: gpus * u64::from(WHOLE),
            last_end: Tick::ZERO,
        }
    }

    pub(super) fn submitted(&mut self, job: &Job) {
        let gpus = u128::from(job.gpus) * u128::from(job.replicas);
        self.coming = Some(Course {
            quota: job.quota.clone(),
            submitted: Tick(job.submit),
            started: None,
            is_finished: false,
            preemptions: 0,
            work: gpus * u128::from(job.duration),
        });
    }

    pub(super) fn refused(&mut self, job: &Job, refusal: &Refusal) {
        self.coming = None;
        *self.refused.entry(job.quota.clone()).or_default() += 1;
        self.first_refusal.get_or_insert_with(|| format!("line {}: {refusal}", job.line));
    }

    pub(super) fn report(&self, now: Tick) -> Report {
        let mut by_quota: BTreeMap<Box<str>, Vec<&Course>> = BTreeMap::new();
        for course in &self.courses {
            by_quota.entry(course.quota.clone()).or_default().push(course);
        }
        self.refused.keys().for_each(|quota| _ = by_quota.entry(quota.clone()).or_default());
        let refused = |quota: &str| self.refused.get(quota).copied().unwrap_or(0);
        let quotas: BTreeMap<Box<str>, Figures> = by_quota
            .into_iter()
            .map(|(quota, courses)| (quota.clone(), figures(&courses, refused(&quota))))
            .collect();
        let total = figures(&self.courses.iter().collect::<Vec<_>>(), self.refused.values().sum());
        let makespan = if self.last_end == Tick::ZERO { now.0 } else { self.last_end.0 };
        let could = self.gpus as f64 * makespan as f64;
        let done: u128 =
            self.courses.iter().filter(|course| course.is_finished).map(|course| course.work).sum();
        let utilisation = if could > 0.0 { done as f64 / could } else { 0.0 };
        let gpus = self.gpus as f64 / f64::from(WHOLE);
        Report { quotas, total, makespan, gpus, utilisation, first_refusal: self.first_refusal.clone() }
    }
}

fn figures(courses: &[&Course], refused: u64) -> Figures {
    let started = courses.iter().filter_map(|c| c.started.map(|started| started.since(c.submitted).0));
    let mut waits: Vec<u64> = started.collect();
    waits.sort_unstable();
    let at =
        |percent: usize| waits.get((waits.len() * percent / 100).min(waits.len().saturating_sub(1))).copied();
    let finished = || courses.iter().filter(|course| course.is_finished);
    let work: u128 = finished().map(|course| course.work).sum();
    Figures {
        jobs: courses.len() as u64 + refused,
        refused,
        finished: finished().count() as u64,
        mean_wait: waits.iter().sum::<u64>() / waits.len().max(1) as u64,
        median_wait: at(50).unwrap_or(0),
        p95_wait: at(95).unwrap_or(0),
        longest_wait: waits.last().copied().unwrap_or(0),
        preemptions: courses.iter().map(|course| u64::from(course.preemptions)).sum(),
        gpu_hours: work as f64 / f64::from(WHOLE) / 3_600_000.0,
    }
}

impl Report {
    pub(super) fn text(&self) -> String {
        let mut table = Table::new(&[
            "QUOTA",
            ">JOBS",
            ">REFUSED",
            ">FINISHED",
            ">MEAN WAIT",
            ">MEDIAN",
            ">95 %",
            ">LONGEST",
            ">PREEMPTIONS",
            ">GPU-HOURS",
        ]);
        let mut row = |name: &str, f: &Figures| {
            table.row(vec![
                Cell::from(name),
                Cell::from(f.jobs),
                Cell::from(f.refused),
                Cell::from(f.finished),
                Cell::from(short(f.mean_wait)),
                Cell::from(short(f.median_wait)),
                Cell::from(short(f.p95_wait)),
                Cell::from(short(f.longest_wait)),
                Cell::from(f.preemptions),
                Cell::from(format!("{:.1}", f.gpu_hours)),
            ]);
        };
        self.quotas.iter().for_each(|(name, figures)| row(name, figures));
        row("all", &self.total);
        format!(
            "{}\n{} of {} jobs finished within {} on {} GPUs, which were used to {:.1} %\n",
            table.text(),
            self.total.finished,
            self.total.jobs,
            short(self.makespan),
            self.gpus,
            100.0 * self.utilisation
        )
    }
}
