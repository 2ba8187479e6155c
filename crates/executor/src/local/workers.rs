//! Processes that do task after task, and wait in between.
//!
//! A worker that waits has no right to what it holds: the books call that free. It goes as soon as somebody is given
//! it, and nobody is started there before it is gone. It belongs to the devices that it was started with.

use super::environment::devices as devices_of;
use super::replica::{Life, Process};
use super::seen::WorkerCount;
use crate::assignment::{Assignment, Replica};
use crate::launch::Warm;
use crate::report::Running;
use crate::supervisor::WarmOrder;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tidegate_engine::ids::WorkloadId;
use tidegate_engine::slot::Devices;

/// A worker, by the run that it was started for: that is never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct WorkerId {
    pub(super) first: Running,
    /// That run's attempt.
    pub(super) attempt: u32,
}

impl WorkerId {
    pub(super) fn name(&self) -> String {
        let Running { workload, unit, index, run } = self.first;
        format!("{}-{unit}-{index}-{run}-{}", workload.0, self.attempt)
    }

    /// The worker that a directory is for.
    pub(super) fn of(directory: &Path) -> Option<WorkerId> {
        let name = directory.file_name()?.to_str()?;
        let numbers: Vec<u64> = name.split('-').map(|part| part.parse().ok()).collect::<Option<_>>()?;
        let [workload, unit, index, run, attempt] = numbers[..] else { return None };
        let narrow = |number: u64| u32::try_from(number).ok();
        let workload = WorkloadId(narrow(workload)?);
        let first = Running { workload, unit: narrow(unit)?, index: narrow(index)?, run };
        Some(WorkerId { first, attempt: narrow(attempt)? })
    }
}

/// Whose tasks a worker can do: those of the same workspace and line, of the same size on the same devices.
pub(super) fn fit(a: &Assignment, warm: &Warm, r: &Replica) -> Box<str> {
    let (workspace, line, node) = (a.launch.workspace.0, &warm.line, &r.node);
    format!("{workspace} {line} {node} {:?} {} {}", r.devices, r.cpu, r.memory).into()
}

/// Thousandths that a replica takes of each of its devices.
pub(super) fn part(devices: &Devices) -> u16 {
    match devices {
        Devices::Part { milli, .. } => *milli,
        _ => 1_000,
    }
}

#[derive(Debug)]
pub(super) struct Worker {
    /// Its supervisor, and the directory of its own.
    pub(super) process: Process,
    pub(super) order: WarmOrder,
    /// Where it is started.
    pub(super) home: PathBuf,
    /// The task that it was handed.
    pub(super) run: Option<Running>,
    /// It takes no other.
    leaves: bool,
    /// Its place among those that wait: who waits longest has the smallest.
    turn: u64,
}

impl Worker {
    fn waits(&self) -> bool {
        self.run.is_none() && !self.leaves
    }
}

/// What is to be given to somebody on a node.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    /// Bytes of memory that are left for workers that wait.
    pub(super) memory: u64,
    /// The same of devices, in thousandths.
    pub(super) devices: BTreeMap<u16, u16>,
}

impl Wanted {
    /// What those still have too much.
    fn excess<'a>(&self, workers: impl Iterator<Item = &'a Worker> + Clone) -> Wanted {
        let memory = workers.clone().map(|w| w.order.memory).sum::<u64>().saturating_sub(self.memory);
        let mut devices = BTreeMap::new();
        for (&device, &left) in &self.devices {
            let on = workers.clone().filter(|w| w.process.devices.contains(&device));
            let held: u64 = on.map(|w| u64::from(w.order.part)).sum();
            let over = held.saturating_sub(u64::from(left));
            if over > 0 {
                devices.insert(device, over.try_into().unwrap_or(u16::MAX));
            }
        }
        Wanted { memory, devices }
    }

    fn is_nothing(&self) -> bool {
        self.memory == 0 && self.devices.is_empty()
    }

    /// Whether it would help if this one went.
    fn is_held_by(&self, worker: &Worker) -> bool {
        (self.memory > 0 && worker.order.memory > 0)
            || worker.process.devices.iter().any(|device| self.devices.contains_key(device))
    }
}

#[derive(Debug, Default)]
pub(super) struct Workers {
    all: BTreeMap<WorkerId, Worker>,
    turns: u64,
    /// They could not be told to go.
    unheard: Vec<WorkerId>,
}

impl Workers {
    pub(super) fn add(&mut self, id: WorkerId, process: Process, order: WarmOrder, home: PathBuf) {
        let worker = Worker { process, order, home, run: None, leaves: false, turn: 0 };
        self.all.insert(id, worker);
    }

    pub(super) fn put_back(&mut self, id: WorkerId, worker: Worker) {
        self.turns = self.turns.max(worker.turn);
        self.all.insert(id, worker);
    }

    pub(super) fn into_all(self) -> BTreeMap<WorkerId, Worker> {
        self.all
    }

    pub(super) fn get_mut(&mut self, id: WorkerId) -> Option<&mut Worker> {
        self.all.get_mut(&id)
    }

    pub(super) fn get(&self, id: WorkerId) -> Option<&Worker> {
        self.all.get(&id)
    }

    pub(super) fn remove(&mut self, id: WorkerId) -> Option<Worker> {
        self.all.remove(&id)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (WorkerId, &Worker)> {
        self.all.iter().map(|(id, worker)| (*id, worker))
    }

    pub(super) fn count(&self) -> WorkerCount {
        let busy = self.all.values().filter(|worker| worker.run.is_some()).count();
        WorkerCount { busy, waiting: self.all.values().filter(|worker| worker.waits()).count() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The one that waits shortest of those that can do this: the others go when there is less to do.
    pub(super) fn waiting_for(&self, fit: &str) -> Option<WorkerId> {
        let fits = self.all.iter().filter(|(_, worker)| worker.waits() && *worker.order.fit == *fit);
        fits.max_by_key(|(_, worker)| worker.turn).map(|(id, _)| *id)
    }

    /// It does this now. Whether it is known.
    pub(super) fn employ(&mut self, id: WorkerId, run: Running) -> bool {
        let worker = self.all.get_mut(&id).map(|worker| worker.run = Some(run));
        worker.is_some()
    }

    /// It has done it, and waits if it takes another. Who waits longest goes if there are too many of them.
    pub(super) fn release(&mut self, id: WorkerId, run: Running) {
        self.turns += 1;
        let Some(worker) = self.all.get_mut(&id).filter(|worker| worker.run == Some(run)) else { return };
        (worker.run, worker.turn) = (None, self.turns);
        worker.leaves |= worker.process.dir.is_closing();
        let alike = (worker.order.line.clone(), worker.order.workers);
        let waiting: Vec<_> = self.all.iter().filter(|(_, w)| w.waits() && w.order.line == alike.0).collect();
        if waiting.len() > alike.1 as usize
            && let Some((&id, _)) = waiting.into_iter().min_by_key(|(_, w)| w.turn)
        {
            self.dismiss(id);
        }
    }

    /// One that waits is not needed any more.
    pub(super) fn dismiss(&mut self, id: WorkerId) {
        if let Some(worker) = self.all.get_mut(&id) {
            (worker.leaves, worker.run) = (true, None);
            worker.process.ask_to_leave(0);
            if worker.process.life == Life::Unwatched {
                self.unheard.push(id);
            }
        }
    }

    /// Those that have to be looked at, since they could not be told to go.
    pub(super) fn unheard(&mut self) -> Vec<WorkerId> {
        std::mem::take(&mut self.unheard)
    }

    /// Sends away as many as it takes that others have what they want of a node. Whether they have it.
    pub(super) fn make_way(&mut self, node: &str, wanted: &Wanted) -> bool {
        loop {
            let on = |w: &&Worker| w.run.is_none() && *w.process.node == *node;
            if wanted.excess(self.all.values().filter(on)).is_nothing() {
                return true;
            }
            let excess = wanted.excess(self.all.values().filter(|w| on(w) && !w.leaves));
            let may_go = |w: &Worker| w.waits() && *w.process.node == *node && excess.is_held_by(w);
            let longest = self.all.iter().filter(|(_, w)| may_go(w)).min_by_key(|(_, w)| w.turn);
            let Some(id) = longest.map(|(id, _)| *id) else { return false };
            self.dismiss(id);
        }
    }

    /// Whether one that waits was given a device.
    pub(super) fn occupies(&self, node: &str, device: u16) -> bool {
        self.all.values().any(|w| *w.process.node == *node && w.process.devices.contains(&device))
    }
}

/// Thousandths that a replica takes of its devices, one by one.
pub(super) fn taken(devices: &Devices) -> impl Iterator<Item = (u16, u16)> {
    let part = part(devices);
    devices_of(devices).into_iter().map(move |device| (device, part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::supervisor::{Order, RunDir};

    fn id(workload: u32) -> WorkerId {
        let first = Running { workload: WorkloadId(workload), unit: 0, index: 0, run: 9 };
        WorkerId { first, attempt: 0 }
    }

    /// Workers with these devices, parts and memory on one node; all wait, the first for the longest time.
    fn workers(all: &[(&[u16], u16, u64)]) -> (tempfile::TempDir, Workers) {
        let root = tempfile::tempdir().unwrap();
        let mut workers = Workers::default();
        for (n, &(devices, part, memory)) in all.iter().enumerate() {
            let id = id(n as u32);
            let order = Order { node: "n".into(), devices: devices.to_vec(), ..Order::default() };
            let dir = RunDir::at(root.path().join(id.name()));
            dir.create(&order).unwrap();
            let process = Process::in_directory(dir, 0, &order);
            let warm = WarmOrder { part, memory, workers: 9, fit: "f".into(), ..WarmOrder::default() };
            workers.add(id, process, warm, root.path().into());
            workers.employ(id, id.first);
            workers.release(id, id.first);
        }
        (root, workers)
    }

    fn left(workers: &Workers) -> Vec<u32> {
        workers.iter().filter(|(_, w)| w.waits()).map(|(id, _)| id.first.workload.0).collect()
    }

    #[test]
    fn a_worker_is_known_by_its_directory() {
        assert_eq!(WorkerId::of(Path::new("/x").join(id(7).name()).as_path()), Some(id(7)));
        for other in ["7-0-0-9", "7-0-0-9-0-1", "bell", "7-0-0-x-0", "7-0-0-9.0"] {
            assert_eq!(WorkerId::of(Path::new(other)), None, "{other}");
        }
    }

    #[test]
    fn who_waits_makes_way_for_who_is_given_what_it_holds() {
        let whole = |device| Wanted { memory: 100, devices: BTreeMap::from([(device, 0)]) };
        let (_root, mut all) = workers(&[(&[0], 1_000, 10), (&[1], 1_000, 10)]);
        assert!(all.make_way("other", &whole(0)) && all.make_way("n", &whole(2)), "they hold neither");
        assert!(!all.make_way("n", &whole(1)), "it is not gone yet");
        assert_eq!(left(&all), [0]);
        assert!(!all.make_way("n", &whole(1)), "and still not");
        assert_eq!(left(&all), [0], "nobody else goes for that");
        all.remove(id(1));
        assert!(all.make_way("n", &whole(1)));
    }

    #[test]
    fn parts_of_a_device_and_memory_are_counted() {
        let (_root, mut all) = workers(&[(&[0], 300, 10), (&[0], 300, 10), (&[], 1_000, 10)]);
        let half = Wanted { memory: 30, devices: BTreeMap::from([(0, 500)]) };
        assert!(!all.make_way("n", &half), "600 of 500 thousandths");
        assert_eq!(left(&all), [1, 2], "who waits longest goes");
        all.remove(id(0));
        assert!(all.make_way("n", &half));
        let little = Wanted { memory: 19, devices: BTreeMap::new() };
        assert!(!all.make_way("n", &little), "20 of 19 bytes");
        assert_eq!(left(&all), [2]);
    }

    #[test]
    fn so_many_wait_and_who_waits_shortest_is_asked_first() {
        let (_root, mut all) = workers(&[(&[], 1_000, 1), (&[], 1_000, 1), (&[], 1_000, 1)]);
        assert_eq!((all.waiting_for("f"), all.waiting_for("g")), (Some(id(2)), None));
        all.all.values_mut().for_each(|w| w.order.workers = 2);
        all.employ(id(1), id(1).first);
        all.release(id(1), id(7).first);
        assert_eq!(left(&all), [0, 2], "that was another's end");
        all.release(id(1), id(1).first);
        assert_eq!(left(&all), [1, 2]);
    }
}
