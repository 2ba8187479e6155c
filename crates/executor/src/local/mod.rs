//! The executor of real processes on this machine.
//!
//! | where | what |
//! |---|---|
//! | here | what it is told, and when it looks |
//! | `settling` | what should run against what runs |
//! | `ordering` | what a supervisor is told to run |
//! | `finding` | what was started before |
//! | `replica` | one process, seen through its directory |
//! | `workers`, `employing` | processes that do task after task, and how tasks come to them |
//! | `places` | the directories of runs, logs and work |
//! | `users`, `groups` | who runs whose processes, and what the kernel bounds |
//! | `environment`, `handover` | what a program finds in its environment; what a task is given, and gives back |
//! | `endpoints`, `ports`, `listening` | who can be reached, and where |
//! | `devices`, `gpus` | a GPU is handed on only when it is clean; what its driver tells |
//! | `memory` | where runs need no disk |
//! | `backoff`, `ledger` | who fails again and again starts later and later |
//! | `saves` | work that programs say is saved |
//! | `watch` | the end of processes |
//! | `strays` | processes that lost their supervisor |
//! | `seen`, `measuring`, `usage`, `meters`, `disk` | what replicas take |
//! | `boot` | the machine's own time |

mod backoff;
pub mod boot;
mod devices;
mod disk;
mod employing;
mod endpoints;
mod environment;
mod finding;
mod gpus;
pub mod groups;
mod handover;
mod ledger;
mod listening;
mod measuring;
mod memory;
mod meters;
mod ordering;
mod places;
mod ports;
mod replica;
mod saves;
mod seen;
mod settling;
mod strays;
mod usage;
mod users;
mod watch;
mod workers;

pub use devices::{CLEAN_WITHIN, DeviceCare, FaultFiles};
pub use endpoints::{Endpoint, Endpoints, Listener, Place};
pub use gpus::{Gpu, Gpus, RealDevices};
pub use groups::{Groups, Limits};
pub(crate) use handover::room;
pub use handover::{Left, MAX_FILES, NOT_ACCEPTED, Tray};
pub use listening::{Listening, who_listens};
pub use meters::{GpuMeter, GpuProcess, GpuTaken, GpuUse, MeterFiles};
pub use places::{Places, SAVED};
pub use seen::{Replicas, Seen, WorkerCount};
pub use strays::MARK;
pub use usage::Usage;
pub use users::Isolation;

use crate::assignment::{Assignment, Replica};
use crate::executor::{Executor, Waker};
use crate::report::{Report, Running};
use boot::since_boot;
use devices::Unclean;
use ledger::Ledger;
use measuring::Measuring;
use ports::Ports;
use replica::{Life, Process};
use seen::Source;
use settling::Known;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::ops::RangeInclusive;
use std::process::Child;
use std::sync::Arc;
use tidegate_engine::ids::{Tick, WorkloadId};
use watch::Watch;
use workers::{WorkerId, Workers};

/// How soon to look again for what tells nobody when it happens, in milliseconds.
const LOOK_AGAIN: u64 = 20;

/// How soon to look again at devices that are not clean, in milliseconds.
const LOOK_AT_DEVICES: u64 = 500;

/// How processes are started.
#[derive(Clone, Debug)]
pub struct Settings {
    pub places: Places,
    /// Program and arguments of a supervisor; the directory of the run comes last.
    pub supervisor: Vec<OsString>,
    pub isolation: Isolation,
    /// Where each replica gets a control group of its own.
    pub groups: Option<Groups>,
    /// What the directories of one workload may take; it is ended if they take more.
    pub work_limit: Option<u64>,
    /// A log file that has grown beyond this is put aside.
    pub log_limit: u64,
    /// How many log files that were put aside are kept.
    pub log_keep: u32,
    /// Ports for those whom somebody is to reach.
    pub ports: RangeInclusive<u16>,
    /// What everybody finds in the environment.
    pub env: Vec<(Box<str>, Box<str>)>,
    /// By node: names of the devices by which a driver knows them; their numbers if there are none.
    pub device_names: BTreeMap<Box<str>, Vec<Box<str>>>,
    /// Who knows what GPUs do, if anybody does.
    pub gpu_meter: Option<Arc<dyn GpuMeter>>,
}

/// Who has to be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Whom {
    Run(Running),
    Worker(WorkerId),
}

/// Tells the time as the server counts it.
pub type ClockFn = Box<dyn Fn() -> Tick + Send>;

/// Runs replicas as processes of this machine.
#[expect(missing_debug_implementations, reason = "a clock is a function")]
pub struct LocalExecutor {
    settings: Settings,
    clock: ClockFn,
    watch: Watch,
    /// Who is meant by a number of `watch`.
    watched: BTreeMap<u64, Whom>,
    ports: Ports,
    endpoints: Endpoints,
    replicas: Replicas,
    measuring: Measuring,
    workloads: BTreeMap<WorkloadId, Known>,
    workers: Workers,
    /// It is heard when they have done a task.
    hears_workers: bool,
    ledger: Ledger,
    /// Of these something may have to be done.
    unsettled: BTreeSet<WorkloadId>,
    /// When to look at whom, in milliseconds since the machine was started.
    later: BTreeSet<(u64, Whom)>,
    /// There may be processes whose runs nobody knows: nothing is started before they are gone.
    is_sweeping: bool,
    /// Supervisors that have said how it ended, and have not ended themselves.
    children: Vec<Child>,
    saves_looked_at: Tick,
    care: Box<dyn DeviceCare>,
    unclean: Unclean,
    /// They wait for devices to become clean.
    waiting: BTreeSet<WorkloadId>,
}

impl LocalExecutor {
    pub fn new(settings: Settings, care: Box<dyn DeviceCare>, clock: ClockFn) -> io::Result<LocalExecutor> {
        let ports = Ports::new(settings.ports.clone());
        let replicas = Replicas::default();
        let measuring = Measuring::start(replicas.clone(), settings.gpu_meter.clone(), settings.work_limit)?;
        let ledger = Ledger::open(settings.places.ledger());
        Ok(LocalExecutor {
            settings,
            clock,
            watch: Watch::new()?,
            watched: BTreeMap::new(),
            ports,
            endpoints: Endpoints::default(),
            replicas,
            measuring,
            workloads: BTreeMap::new(),
            workers: Workers::default(),
            hears_workers: false,
            ledger,
            unsettled: BTreeSet::new(),
            later: BTreeSet::new(),
            is_sweeping: false,
            children: Vec::new(),
            saves_looked_at: Tick::ZERO,
            care,
            unclean: Unclean::default(),
            waiting: BTreeSet::new(),
        })
    }

    /// Who can be reached.
    pub fn endpoints(&self) -> Endpoints {
        self.endpoints.clone()
    }

    /// What replicas take.
    pub fn replicas(&self) -> Replicas {
        self.replicas.clone()
    }

    /// What runs now, those that are leaving included.
    pub fn running(&self) -> Vec<Running> {
        let mut all = Vec::new();
        for (&workload, known) in &self.workloads {
            let alive = known.processes.iter().filter(|(_, process)| process.is_alive());
            all.extend(alive.map(|(&(unit, index, run), _)| Running { workload, unit, index, run }));
        }
        all
    }

    /// From now on the end of a process is noticed, and it can be reached.
    fn follow(&mut self, run: Running, process: &Process) {
        self.wait_for(Whom::Run(run), &process.life);
        if let Some(endpoint) = process.endpoint(run.run) {
            self.endpoints.put((run.workload, run.unit, run.index), endpoint);
        }
    }

    fn wait_for(&mut self, whom: Whom, life: &Life) {
        match (life, whom) {
            (Life::Watched(number), _) => _ = self.watched.insert(*number, whom),
            (Life::Unwatched, _) => _ = self.later.insert((since_boot() + LOOK_AGAIN, whom)),
            (Life::Waiting(until), _) => _ = self.later.insert((*until, whom)),
            // Its worker tells, or its worker's end.
            (Life::Handed, _) => {}
            (Life::Unbegun, Whom::Run(run)) => {
                self.unsettled.insert(run.workload);
                self.later.insert((since_boot() + LOOK_AGAIN, whom));
            }
            (Life::Ended(_), Whom::Run(run)) => _ = self.unsettled.insert(run.workload),
            (_, Whom::Worker(_)) => _ = self.later.insert((0, whom)),
        }
    }

    /// Lets it be seen what a replica takes.
    fn show(&self, a: &Assignment, r: &Replica, process: &Process) {
        let mut directories = self.settings.places.of_workload(a);
        let worker = process.worker.and_then(|id| self.workers.get(id));
        directories.extend(worker.map(|worker| worker.home.clone()));
        let source = Source {
            supervisor: process.supervisor,
            group: process.group.as_ref().map(|group| group.path.clone()),
            directories,
        };
        let seen = Seen {
            run: r.run,
            number: environment::number(a, r),
            restarts: process.attempt,
            node: r.node.clone(),
            devices: r.devices.clone(),
            memory: r.memory,
            cpu: r.cpu,
            usage: None,
            source,
        };
        self.replicas.put((a.workload, r.unit, r.index), seen);
    }

    /// Looks at those that have ended, and at those whose time has come.
    fn look(&mut self) {
        for line in self.watch.rung() {
            if let Some((run, attempt)) = self.settings.places.run_of(line.as_ref()) {
                self.hear_of(run, attempt);
            }
        }
        for number in self.watch.ended() {
            if let Some(whom) = self.watched.remove(&number) {
                self.look_at_whom(whom);
            }
        }
        for id in self.workers.unheard() {
            self.look_at_worker(id);
        }
        let now = since_boot();
        while let Some(&(at, whom)) = self.later.first().filter(|(at, _)| *at <= now) {
            self.later.remove(&(at, whom));
            self.look_at_whom(whom);
        }
        self.children.retain_mut(|child| !matches!(child.try_wait(), Ok(Some(_))));
        if self.is_sweeping {
            self.sweep();
        }
        for (workload, why) in self.measuring.verdicts() {
            self.send_away(workload, &why);
        }
    }

    fn look_at_whom(&mut self, whom: Whom) {
        match whom {
            // A worker may not have come to it yet.
            Whom::Run(run) if self.process(run).is_some_and(|p| self.is_handed(p)) => {}
            Whom::Run(run) => self.look_at(run),
            Whom::Worker(id) => self.look_at_worker(id),
        }
    }

    /// A worker says that it has done a task, or has not taken it.
    fn hear_of(&mut self, run: Running, attempt: u32) {
        if self.process(run).is_some_and(|process| process.attempt == attempt) {
            self.look_at(run);
        }
    }

    fn is_handed(&self, process: &Process) -> bool {
        process.life == Life::Handed && process.worker.is_some_and(|id| self.workers.get(id).is_some())
    }

    fn process(&self, run: Running) -> Option<&Process> {
        self.workloads.get(&run.workload)?.processes.get(&(run.unit, run.index, run.run))
    }

    fn look_at(&mut self, run: Running) {
        self.unsettled.insert(run.workload);
        let Some(known) = self.workloads.get_mut(&run.workload) else { return };
        let Some(process) = known.processes.get_mut(&(run.unit, run.index, run.run)) else { return };
        if !process.is_alive() {
            return;
        }
        process.look(&self.settings.supervisor, &mut self.watch);
        // Another supervisor may have taken over.
        if let Some(endpoint) = process.endpoint(run.run) {
            self.endpoints.put((run.workload, run.unit, run.index), endpoint);
        }
        let (life, worker) = (process.life.clone(), process.worker);
        let life = self.tell_worker(worker, run, life);
        self.wait_for(Whom::Run(run), &life);
    }

    /// What becomes of a task is told to its worker. How it goes on with the task.
    fn tell_worker(&mut self, worker: Option<WorkerId>, run: Running, life: Life) -> Life {
        let Some(id) = worker else { return life };
        match life {
            // Whose directory somebody has removed tells nobody of its end.
            Life::Handed if !self.workers.employ(id, run) => return Life::Unwatched,
            Life::Unbegun => self.workers.dismiss(id),
            Life::Ended(_) => self.workers.release(id, run),
            _ => {}
        }
        life
    }
}

impl Executor for LocalExecutor {
    fn assign(&mut self, assignment: Assignment) {
        let workload = assignment.workload;
        let known = self.workloads.entry(workload).or_default();
        let newer = |a: &Assignment| a.generation > assignment.generation;
        if known.assignment.as_ref().is_some_and(newer) {
            return;
        }
        known.assignment = Some(assignment);
        self.unsettled.insert(workload);
    }

    fn forget(&mut self, workload: WorkloadId) {
        // Also of one that was not heard of since the start there may be something left.
        self.workloads.entry(workload).or_default().assignment = None;
        self.unsettled.insert(workload);
    }

    fn reconcile(&mut self, all: Vec<Assignment>) {
        let before = std::mem::take(&mut self.workloads);
        for a in all {
            self.workloads.insert(a.workload, Known { assignment: Some(a), ..Known::default() });
        }
        self.replicas.clear();
        self.find_workers();
        self.find_all(before);
        let workloads = &self.workloads;
        self.ledger.keep(|workload| workloads.contains_key(&workload));
        self.endpoints.keep(|(workload, unit, index), endpoint| {
            let process =
                workloads.get(&workload).and_then(|k| k.processes.get(&(unit, index, endpoint.run)));
            process.is_some_and(|p| p.is_alive() && p.port == Some(endpoint.port))
        });
        self.is_sweeping = true;
        self.unsettled.extend(self.workloads.keys());
    }

    fn next_due(&self) -> Option<Tick> {
        let now = (self.clock)();
        if !self.unsettled.is_empty() && !self.is_sweeping {
            return Some(now);
        }
        let sweeping = self.is_sweeping.then_some(LOOK_AGAIN);
        let later = self.later.first().map(|(at, _)| at.saturating_sub(since_boot()));
        let unended = (!self.children.is_empty()).then_some(LOOK_AGAIN);
        let unclean = (!self.waiting.is_empty()).then_some(LOOK_AT_DEVICES);
        let soon = [sweeping, later, unended, unclean].into_iter().flatten().min();
        let soon = soon.map(|millis| now.after(tidegate_engine::ids::Span(millis)));
        [soon, self.next_save(now)].into_iter().flatten().min()
    }

    fn poll(&mut self, now: Tick) -> Vec<Report> {
        let mut reports = Vec::new();
        self.look_for_saves(now, &mut reports);
        self.look();
        self.unsettled.append(&mut self.waiting);
        // What is unsettled by settling it waits for the next look.
        for workload in std::mem::take(&mut self.unsettled) {
            self.settle(workload, &mut reports);
        }
        self.replicas.count_workers(self.workers.count());
        reports
    }

    fn set_waker(&mut self, waker: Waker) {
        self.watch.set_waker(waker.clone());
        self.measuring.set_waker(waker);
    }
}
