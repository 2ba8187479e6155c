//! The executor of real processes on this machine.
//!
//! | where | what |
//! |---|---|
//! | here | what should run against what runs |
//! | `replica` | one process, seen through its directory |
//! | `places` | the directories of runs, logs and work |
//! | `environment` | what a program finds in its environment |
//! | `endpoints`, `ports` | who can be reached, and where |
//! | `devices`, `gpus` | a GPU is handed on only when it is clean; what its driver tells |
//! | `backoff` | who fails again and again starts later and later |
//! | `watch` | the end of processes |
//! | `strays` | processes that lost their supervisor |
//! | `boot` | the machine's own time |

mod backoff;
pub mod boot;
mod devices;
mod endpoints;
mod environment;
mod gpus;
mod places;
mod ports;
mod replica;
mod strays;
mod watch;

pub use devices::{CLEAN_WITHIN, DeviceCare, FaultFiles};
pub use endpoints::{Endpoint, Endpoints};
pub use gpus::{Gpu, GpuUse, Gpus, RealDevices};
pub use places::{Places, SAVED};
pub use strays::MARK;

use crate::assignment::{Assignment, Replica};
use crate::executor::{Executor, Waker};
use crate::report::{Report, Running};
use crate::supervisor::{LogFile, Order};
use backoff::Runs;
use devices::{Unclean, Verdict};
use environment::{Scene, devices as devices_of, number};
use ports::Ports;
use replica::{Life, Process};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use tidegate_engine::ids::{Span, Tick, WorkloadId, WorkspaceId};
use tidegate_engine::words::Module;
use watch::Watch;

/// How often it is looked whether somebody saved its work.
const SAVES_EVERY: Span = Span(500);
/// How soon to look again at devices that are not clean.
const LOOK_AT_DEVICES: Span = Span(500);
/// How soon to look again for a supervisor that has not said who it is.
const LOOK_AGAIN: Span = Span(20);

/// How processes are started.
#[derive(Clone, Debug)]
pub struct Settings {
    pub places: Places,
    /// Program and arguments of a supervisor; the directory of the run comes last.
    pub supervisor: Vec<OsString>,
    /// Each workspace's processes run as a user of their own, counted from this one; all as who runs the server if
    /// absent.
    pub first_user: Option<u32>,
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
    /// Below this directory of the kernel's each replica gets a group.
    pub cgroups: Option<PathBuf>,
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
    watched: BTreeMap<u64, Running>,
    ports: Ports,
    endpoints: Endpoints,
    workloads: BTreeMap<WorkloadId, Known>,
    /// Of these something may have to be done.
    unsettled: BTreeSet<WorkloadId>,
    /// Their supervisors have not said yet who they are.
    unwatched: BTreeSet<Running>,
    saves_looked_at: Tick,
    care: Box<dyn DeviceCare>,
    unclean: Unclean,
    /// They wait for devices to become clean.
    waiting: BTreeSet<WorkloadId>,
}

/// One workload.
#[derive(Debug, Default)]
struct Known {
    /// What should run; `None` if it was forgotten, or was never heard of.
    assignment: Option<Assignment>,
    processes: BTreeMap<(u32, u32, u64), Process>,
    /// Units that were reported to be gone, with their runs.
    gone: BTreeSet<(u32, u64)>,
    /// The latest save that was reported.
    saved_at: Tick,
}

/// What becomes of a process.
enum Fate {
    Stays,
    /// It may take until then.
    Leaves(Tick),
    /// It has no right to run.
    Dies,
}

impl Known {
    fn fate(&self, (unit, index, run): (u32, u32, u64)) -> Fate {
        let Some(a) = &self.assignment else { return Fate::Dies };
        if a.replicas.iter().any(|r| (r.unit, r.index, r.run) == (unit, index, run)) {
            return Fate::Stays;
        }
        match a.leaving.iter().find(|l| (l.unit, l.run) == (unit, run)) {
            Some(leaving) => Fate::Leaves(leaving.kill_at),
            None => Fate::Dies,
        }
    }

    /// Whether a process of it that lives was given a device.
    fn occupies(&self, node: &str, device: u16) -> bool {
        let given = |p: &&Process| p.is_alive() && &*p.node == node && p.devices.contains(&device);
        self.processes.values().any(|p| given(&p))
    }

    fn is_any_alive(&self) -> bool {
        self.processes.values().any(Process::is_alive)
    }
}

impl LocalExecutor {
    pub fn new(settings: Settings, care: Box<dyn DeviceCare>, clock: ClockFn) -> io::Result<LocalExecutor> {
        let ports = Ports::new(settings.ports.clone());
        Ok(LocalExecutor {
            settings,
            clock,
            watch: Watch::new()?,
            watched: BTreeMap::new(),
            ports,
            endpoints: Endpoints::default(),
            workloads: BTreeMap::new(),
            unsettled: BTreeSet::new(),
            unwatched: BTreeSet::new(),
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

    /// What runs now, those that are leaving included.
    pub fn running(&self) -> Vec<Running> {
        let mut all = Vec::new();
        for (&workload, known) in &self.workloads {
            let alive = known.processes.iter().filter(|(_, process)| process.is_alive());
            all.extend(alive.map(|(&(unit, index, run), _)| Running { workload, unit, index, run }));
        }
        all
    }

    fn user(&self, workspace: WorkspaceId) -> Option<u32> {
        self.settings.first_user.map(|first| first + workspace.0)
    }

    /// Compares what should run of a workload with what runs, and acts on the difference.
    fn settle(&mut self, workload: WorkloadId, reports: &mut Vec<Report>) {
        let Some(mut known) = self.workloads.remove(&workload) else { return };
        let now = (self.clock)();
        self.let_go(workload, &mut known, now);
        self.tell(workload, &mut known, reports);
        self.start_missing(&mut known, now, reports);
        if known.assignment.is_none() && known.processes.is_empty() {
            // Nothing is left of it, and nobody will ask.
            let _ = fs::remove_dir_all(self.settings.places.runs_of(workload));
            return;
        }
        self.workloads.insert(workload, known);
    }

    /// Asks those to leave that are to, and clears away those that have no right to run and are gone.
    fn let_go(&mut self, workload: WorkloadId, known: &mut Known, now: Tick) {
        let keys: Vec<_> = known.processes.keys().copied().collect();
        for key in keys {
            let fate = known.fate(key);
            let process = known.processes.get_mut(&key).expect("it was there a moment ago");
            let at = (workload, key.0, key.1);
            match fate {
                Fate::Stays => continue,
                Fate::Leaves(by) => process.ask_to_leave(by.since(now).0),
                Fate::Dies => process.ask_to_leave(0),
            }
            match (process.port, process.is_alive()) {
                (Some(port), true) => {
                    self.endpoints.put(at, Endpoint { run: key.2, port, leaves: true });
                }
                _ => self.endpoints.remove(at, key.2),
            }
            if matches!(fate, Fate::Dies) && !process.is_alive() {
                let process = known.processes.remove(&key).expect("it was there a moment ago");
                self.clear_away(&process);
            }
        }
    }

    fn clear_away(&mut self, process: &Process) {
        let _ = process.dir.remove();
        [process.port, process.meeting_port]
            .into_iter()
            .flatten()
            .for_each(|port| self.ports.give_back(port));
    }

    /// Reports what has ended.
    fn tell(&mut self, workload: WorkloadId, known: &mut Known, reports: &mut Vec<Report>) {
        let Some(a) = known.assignment.clone() else { return };
        for r in &a.replicas {
            let key = (r.unit, r.index, r.run);
            let Some(process) = known.processes.get_mut(&key) else { continue };
            let Life::Ended(exit) = process.life.clone() else { continue };
            if process.is_reported {
                continue;
            }
            self.endpoints.remove((workload, r.unit, r.index), r.run);
            if exit.code != 0 || a.launch.keep_up {
                self.note_failure(workload, r.run, exit.ran, a.launch.keep_up);
            }
            if a.launch.keep_up {
                let process = known.processes.remove(&key).expect("it was there a moment ago");
                let again = self.start(&a, r, process.attempt + 1);
                self.clear_away(&process);
                known.processes.insert(key, again);
                continue;
            }
            process.is_reported = true;
            let (unit, index, run) = key;
            reports.push(Report::Exited { workload, unit, index, run, code: exit.code, detail: exit.detail });
        }
        for leaving in &a.leaving {
            let key = (leaving.unit, leaving.run);
            let mut of_unit = known.processes.range((key.0, 0, 0)..=(key.0, u32::MAX, u64::MAX));
            let lives = of_unit.any(|(k, process)| k.2 == key.1 && process.is_alive());
            if !lives && known.gone.insert(key) {
                reports.push(Report::Gone { workload, unit: key.0, run: key.1 });
            }
        }
        let leaves = |gone: &(u32, u64)| a.leaving.iter().any(|l| (l.unit, l.run) == *gone);
        known.gone.retain(leaves);
    }

    /// Failures in a row make it wait.
    fn note_failure(&self, workload: WorkloadId, run: u64, ran: u64, each: bool) {
        let path = self.settings.places.runs_of(workload).join("runs.json");
        let mut runs = Runs::read(&path);
        if each || runs.failed_run != run {
            runs.fail(run, ran);
            // Forgotten, it starts again a little earlier.
            let _ = runs.write(&path);
        }
    }

    /// Starts what is missing, once all that has no right to run is gone: they may share devices.
    fn start_missing(&mut self, known: &mut Known, now: Tick, reports: &mut Vec<Report>) {
        let Some(a) = known.assignment.clone() else { return };
        let dying =
            known.processes.iter().any(|(key, p)| p.is_alive() && matches!(known.fate(*key), Fate::Dies));
        if dying {
            return;
        }
        let missing = |r: &&Replica| !known.processes.contains_key(&(r.unit, r.index, r.run));
        let missing: Vec<&Replica> = a.replicas.iter().filter(missing).collect();
        if !self.are_clean(&missing, known, now, reports) {
            self.waiting.insert(a.workload);
            return;
        }
        for r in missing {
            let key = (r.unit, r.index, r.run);
            known.processes.entry(key).or_insert_with(|| self.start(&a, r, 0));
        }
    }

    /// Whether all devices of replicas can be handed on to them. What cannot is reported.
    fn are_clean(&mut self, all: &[&Replica], known: &Known, now: Tick, reports: &mut Vec<Report>) -> bool {
        let mut clean = true;
        for (node, device) in
            all.iter().flat_map(|r| devices_of(&r.devices).into_iter().map(|d| (&r.node, d)))
        {
            // Who shares a device with others takes it as it is.
            let of_known = std::iter::once(known).chain(self.workloads.values());
            if of_known.into_iter().any(|k| k.occupies(node, device)) {
                continue;
            }
            match self.unclean.judge(&mut *self.care, node, device, now) {
                Verdict::Clean => {}
                Verdict::Wait => clean = false,
                Verdict::Broken(reason) => {
                    clean = false;
                    reports.push(Report::Unclean { node: node.clone(), device, reason });
                }
            }
        }
        clean
    }

    fn start(&mut self, a: &Assignment, r: &Replica, attempt: u32) -> Process {
        let run = Running { workload: a.workload, unit: r.unit, index: r.index, run: r.run };
        let dir = self.settings.places.run(run, attempt);
        let order = self.order(a, r, &dir);
        let process = Process::start(dir, attempt, &order, &self.settings.supervisor, &mut self.watch);
        self.follow(run, &process);
        process
    }

    /// From now on the end of a process is noticed, and it can be reached.
    fn follow(&mut self, run: Running, process: &Process) {
        match &process.life {
            Life::Watched(number) => _ = self.watched.insert(*number, run),
            Life::Unwatched => _ = self.unwatched.insert(run),
            Life::Ended(_) => _ = self.unsettled.insert(run.workload),
        }
        if let Some(port) = process.port.filter(|_| process.is_alive()) {
            let endpoint = Endpoint { run: run.run, port, leaves: false };
            self.endpoints.put((run.workload, run.unit, run.index), endpoint);
        }
    }

    fn order(&mut self, a: &Assignment, r: &Replica, dir: &crate::supervisor::RunDir) -> Order {
        let places = &self.settings.places;
        let workspace = a.launch.workspace;
        let user = self.user(workspace);
        // What cannot be made is missed by the supervisor, which says so.
        let _ = fs::create_dir_all(places.runs_of(a.workload)).and_then(|()| places.prepare(a, user));
        let path = places.runs_of(a.workload).join("runs.json");
        let mut runs = Runs::read(&path);
        if runs.begin(r.run) {
            let _ = runs.write(&path);
        }
        let listens = matches!(a.launch.module, Module::Notebook | Module::Service);
        let port = if listens { self.ports.take() } else { None };
        let meeting_port = self.meeting_port(a, r);
        let places = &self.settings.places;
        let own = places.directory(workspace, a.workload, &a.name);
        let scene = Scene {
            places,
            assignment: a,
            replica: r,
            dir,
            restarts: runs.before,
            port,
            meeting_port,
            device_names: self.settings.device_names.get(&*r.node).map_or(&[], |names| names),
            base: &self.settings.env,
            is_apart: user.is_some(),
        };
        let log = places.log(a.workload, number(a, r));
        Order {
            command: a.launch.command.clone(),
            env: scene.variables(),
            directory: a.launch.working_dir.as_deref().map_or(own.clone(), |dir| own.join(dir)),
            user,
            not_before: boot::since_boot() + runs.wait(),
            log: LogFile { path: log, limit: self.settings.log_limit, keep: self.settings.log_keep },
            port,
            meeting_port,
            node: (&*r.node).into(),
            devices: devices_of(&r.devices),
            cgroup: self
                .settings
                .cgroups
                .as_ref()
                .map(|groups| groups.join(format!("{}-{}-{}-{}", a.workload.0, r.unit, r.index, r.run))),
        }
    }

    /// Replicas of one run share it: the first of them to start takes it, the first of all listens there.
    fn meeting_port(&mut self, a: &Assignment, r: &Replica) -> Option<u16> {
        if a.launch.is_service() || a.replicas.len() < 2 {
            return None;
        }
        let shared = a.replicas.iter().filter(|other| other.run == r.run).find_map(|other| {
            let run = Running { workload: a.workload, unit: other.unit, index: other.index, run: other.run };
            self.settings.places.run(run, 0).order().ok()?.meeting_port
        });
        shared.or_else(|| self.ports.take())
    }

    /// Finds what was started before, by this server or by another.
    fn find_all(&mut self, mut before: BTreeMap<WorkloadId, Known>) {
        let subdirectories = |path: PathBuf| {
            let entries = fs::read_dir(path).into_iter().flatten().flatten();
            entries.map(|entry| entry.path()).filter(|path| path.is_dir())
        };
        let mut found: BTreeMap<Running, u32> = BTreeMap::new();
        for directory in subdirectories(self.settings.places.runs()).flat_map(subdirectories) {
            let Some((run, attempt)) = self.settings.places.run_of(&directory) else { continue };
            // An attempt is made once the one before it has ended.
            let latest = found.entry(run).or_insert(attempt);
            *latest = attempt.max(*latest);
        }
        for (run, attempt) in found {
            let key = (run.unit, run.index, run.run);
            let same = before.get_mut(&run.workload).and_then(|known| known.processes.remove(&key));
            let process = match same.filter(|process| process.attempt == attempt) {
                Some(mut process) => {
                    process.is_reported = false;
                    process
                }
                None => {
                    let dir = self.settings.places.run(run, attempt);
                    Process::find(dir, attempt, &self.settings.supervisor, &mut self.watch)
                }
            };
            let ports = [process.port, process.meeting_port];
            ports.into_iter().flatten().for_each(|port| self.ports.keep(port));
            self.follow(run, &process);
            self.workloads.entry(run.workload).or_default().processes.insert(key, process);
        }
    }

    /// Supervisors that have ended, or have not said yet who they are.
    fn look(&mut self) {
        for number in self.watch.ended() {
            if let Some(run) = self.watched.remove(&number) {
                self.look_at(run);
            }
        }
        let unwatched = std::mem::take(&mut self.unwatched);
        unwatched.into_iter().for_each(|run| self.look_at(run));
    }

    fn look_at(&mut self, run: Running) {
        self.unsettled.insert(run.workload);
        let Some(known) = self.workloads.get_mut(&run.workload) else { return };
        let Some(process) = known.processes.get_mut(&(run.unit, run.index, run.run)) else { return };
        process.look(&self.settings.supervisor, &mut self.watch);
        match process.life {
            Life::Watched(number) => _ = self.watched.insert(number, run),
            Life::Unwatched => _ = self.unwatched.insert(run),
            Life::Ended(_) => {}
        }
    }

    /// Work that was saved since the last look, as the files tell that programs touch.
    #[allow(
        clippy::disallowed_methods,
        reason = "how long ago a file was touched is told by the machine's clock"
    )]
    fn look_for_saves(&mut self, now: Tick, reports: &mut Vec<Report>) {
        if now.since(self.saves_looked_at) < SAVES_EVERY {
            return;
        }
        self.saves_looked_at = now;
        for (&workload, known) in &mut self.workloads {
            let Some(a) = known.assignment.as_ref().filter(|a| !a.replicas.is_empty()) else { continue };
            let touched = fs::metadata(self.settings.places.saved(a)).and_then(|file| file.modified());
            // The machine's clock may not be the server's: what counts is how long ago it was.
            let age = touched.ok().and_then(|at| at.elapsed().ok());
            let Some(age) = age else { continue };
            let saved_at = Tick(now.0.saturating_sub(age.as_millis() as u64));
            let known_save = known.saved_at.max(a.saved_at);
            if saved_at > a.began && saved_at.since(known_save) > SAME_SAVE {
                known.saved_at = saved_at;
                reports.push(Report::Checkpointed { workload, run: a.run, saved_at });
            }
        }
    }

    /// Whether anything runs that may save its work.
    fn may_save(&self) -> bool {
        self.workloads.values().any(Known::is_any_alive)
    }
}

/// Ages are measured twice, so the same save is seen at slightly different times.
const SAME_SAVE: Span = Span(20);

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
        if let Some(known) = self.workloads.get_mut(&workload) {
            known.assignment = None;
            self.unsettled.insert(workload);
        }
    }

    fn reconcile(&mut self, all: Vec<Assignment>) {
        let before = std::mem::take(&mut self.workloads);
        for a in all {
            self.workloads.insert(a.workload, Known { assignment: Some(a), ..Known::default() });
        }
        self.endpoints.clear();
        self.find_all(before);
        self.unsettled.extend(self.workloads.keys());
    }

    fn next_due(&self) -> Option<Tick> {
        let now = (self.clock)();
        if !self.unsettled.is_empty() {
            return Some(now);
        }
        if !self.unwatched.is_empty() {
            return Some(now.after(LOOK_AGAIN));
        }
        if !self.waiting.is_empty() {
            return Some(now.after(LOOK_AT_DEVICES));
        }
        self.may_save().then(|| self.saves_looked_at.after(SAVES_EVERY).max(now))
    }

    fn poll(&mut self, now: Tick) -> Vec<Report> {
        let mut reports = Vec::new();
        self.look_for_saves(now, &mut reports);
        self.look();
        self.unsettled.append(&mut self.waiting);
        while let Some(workload) = self.unsettled.pop_first() {
            self.settle(workload, &mut reports);
        }
        reports
    }

    fn set_waker(&mut self, waker: Waker) {
        self.watch.set_waker(waker);
    }
}
