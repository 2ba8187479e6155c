//! What the cases are told in.

use super::Driver;
use crate::assignment::{Assignment, Leaving, Replica};
use crate::launch::Work;
use crate::report::{Report, Running};
use std::fmt::Debug;
use tidegate_engine::ids::{Span, Tick, WorkloadId};
use tidegate_engine::slot::Devices;
use tidegate_engine::words::Module;

/// What is wrong, if anything.
pub type Outcome = Result<(), String>;

pub(super) const FIRST: WorkloadId = WorkloadId(7);
pub(super) const SECOND: WorkloadId = WorkloadId(8);

/// A case, on its way.
#[expect(missing_debug_implementations, reason = "a driver may hold processes")]
pub struct Play<'a> {
    driver: &'a mut dyn Driver,
    start: Tick,
}

impl<'a> Play<'a> {
    pub fn new(driver: &'a mut dyn Driver) -> Play<'a> {
        let start = driver.now();
        Play { driver, start }
    }

    /// So many steps.
    pub(super) fn span(&self, steps: u64) -> Span {
        Span(self.driver.step().0 * steps)
    }

    /// So many steps after the beginning of the case.
    pub(super) fn at(&self, steps: u64) -> Tick {
        self.start.after(self.span(steps))
    }

    /// Behaves so for so many steps.
    pub(super) fn for_steps(&self, steps: u64) -> Work {
        Work { duration: Some(self.span(steps)), ..Work::default() }
    }

    /// Nothing of a workload is to run.
    pub(super) fn nothing(&self, workload: WorkloadId, module: Module, work: Work) -> Assignment {
        Assignment {
            workload,
            name: format!("case-{}", workload.0).into(),
            generation: 0,
            launch: self.driver.launch(module, work),
            run: 0,
            began: self.start,
            saved: Span::ZERO,
            saved_at: self.start,
            replicas: Vec::new(),
            leaving: Vec::new(),
        }
    }

    /// A training job of one unit, begun by event 1 at the beginning of the case.
    pub(super) fn job(&self, work: Work) -> Assignment {
        self.job_of(FIRST, work, 1, &[(0, 1)])
    }

    /// A training job, begun by event `run` now, of units with so many replicas.
    pub(super) fn job_of(&self, id: WorkloadId, work: Work, run: u64, units: &[(u32, u32)]) -> Assignment {
        let now = self.driver.now();
        let mut job = self.nothing(id, Module::Training, work);
        (job.generation, job.run, job.began, job.saved_at) = (run, run, now, now);
        for &(unit, replicas) in units {
            job.replicas.extend((0..replicas).map(|index| replica(unit, index, run, now)));
        }
        job
    }

    pub(super) fn assign(&mut self, assignment: &Assignment) {
        self.driver.executor().assign(assignment.clone());
    }

    pub(super) fn forget(&mut self, workload: WorkloadId) {
        self.driver.executor().forget(workload);
    }

    pub(super) fn reconcile(&mut self, all: &[&Assignment]) {
        self.driver.executor().reconcile(all.iter().map(|a| (*a).clone()).collect());
    }

    /// The server is killed, and starts again after so many steps.
    pub(super) fn restart(&mut self, steps: u64) {
        let at = self.at(steps);
        self.driver.restart(at);
    }

    /// What is reported until just before so many steps are over.
    pub(super) fn before(&mut self, steps: u64) -> Vec<Report> {
        let early = self.driver.slack().0 + 1;
        let to = Tick(self.at(steps).0 - early);
        self.driver.pass(to)
    }

    /// What is reported until so many steps are over.
    pub(super) fn until(&mut self, steps: u64) -> Vec<Report> {
        let to = self.at(steps).after(self.driver.slack());
        self.driver.pass(to)
    }

    /// What is reported without any time passing but what the executor needs to look.
    pub(super) fn at_once(&mut self) -> Vec<Report> {
        let to = self.driver.now().after(self.driver.slack());
        self.driver.pass(to)
    }

    /// What runs: unit, index and run.
    pub(super) fn running(&mut self, workload: WorkloadId) -> Vec<(u32, u32, u64)> {
        let all = self.driver.running();
        let of = |r: &&Running| r.workload == workload;
        all.iter().filter(of).map(|r| (r.unit, r.index, r.run)).collect()
    }

    /// Work is known to be saved at about so many steps.
    pub(super) fn saved_about(&self, report: Option<&Report>, steps: u64) -> Outcome {
        let Some(Report::Checkpointed { saved_at, .. }) = report else {
            return Err(format!("a checkpoint is missing: {report:?}"));
        };
        let off = saved_at.0.abs_diff(self.at(steps).0);
        ensure(off <= self.driver.slack().0, || format!("saved {off} ms off"))
    }
}

pub(super) fn replica(unit: u32, index: u32, run: u64, since: Tick) -> Replica {
    Replica {
        unit,
        index,
        rank: index,
        role: 0,
        run,
        since,
        node: "node-0".into(),
        devices: Devices::None,
        model: None,
        cpu: 100,
        memory: 1 << 20,
        node_memory: 1 << 30,
    }
}

/// Asks all that runs to leave by `kill_at`; event `generation` did it.
pub(super) fn asked_to_leave(running: &Assignment, generation: u64, kill_at: Tick) -> Assignment {
    let mut leaving: Vec<Leaving> = Vec::new();
    for r in &running.replicas {
        if leaving.last().is_none_or(|l| l.unit != r.unit) {
            leaving.push(Leaving { unit: r.unit, run: r.run, kill_at, suspend: false });
        }
    }
    Assignment { generation, replicas: Vec::new(), leaving, ..running.clone() }
}

pub(super) fn exited(unit: u32, index: u32, run: u64, code: i32) -> Report {
    Report::Exited { workload: FIRST, unit, index, run, code, detail: None, warm: None }
}

pub(super) fn gone(unit: u32, run: u64) -> Report {
    Report::Gone { workload: FIRST, unit, run }
}

/// Reports without what the contract leaves open: their details, and their order among equals.
pub(super) fn plain(mut reports: Vec<Report>) -> Vec<Report> {
    for report in &mut reports {
        if let Report::Exited { detail, .. } = report {
            *detail = None;
        }
    }
    reports.sort_by_key(|r| match r {
        Report::Checkpointed { saved_at, .. } => (0, 0, 0, saved_at.0),
        Report::Exited { unit, index, .. } => (1, *unit, *index, 0),
        Report::Gone { unit, .. } => (2, *unit, 0, 0),
        Report::Unclean { device, .. } => (3, u32::from(*device), 0, 0),
    });
    reports
}

pub(super) fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Outcome {
    if holds { Ok(()) } else { Err(otherwise()) }
}

pub(super) fn same<T: PartialEq + Debug>(what: &str, seen: T, wanted: T) -> Outcome {
    ensure(seen == wanted, || format!("{what}: saw {seen:?}, wanted {wanted:?}"))
}
