//! How a task comes to a worker: to one that waits, or to a new one.

use super::boot::since_boot;
use super::environment::{Scene, devices as devices_of, number};
use super::finding::subdirectories;
use super::handover::room;
use super::places::private;
use super::replica::{Life, Process};
use super::workers::{Wanted, WorkerId, fit, part, taken};
use super::{LocalExecutor, Whom, groups};
use crate::assignment::{Assignment, Replica};
use crate::launch::{Handover, Warm};
use crate::report::Running;
use crate::supervisor::{Errand, Exit, LogFile, Order, RunDir, WarmOrder};
use std::collections::BTreeSet;
use std::fs;
use std::io;

/// What of a task is for a worker.
pub(super) fn warm_of(a: &Assignment) -> Option<(&Handover, &Warm)> {
    let task = a.launch.task.as_ref()?;
    Some((task, task.warm.as_ref()?))
}

impl LocalExecutor {
    /// Hands a task to a worker: to one that waits, or to one that is started for it.
    pub(super) fn start_warm(
        &mut self,
        a: &Assignment,
        r: &Replica,
        attempt: u32,
        user: Option<u32>,
    ) -> Process {
        let run = Running { workload: a.workload, unit: r.unit, index: r.index, run: r.run };
        let dir = self.settings.places.run(run, attempt);
        let begun = self.hand_over(a, r, (run, attempt), &dir, user);
        begun.unwrap_or_else(|error| Process::refused(dir, &format!("cannot be started: {error}")))
    }

    fn hand_over(
        &mut self,
        a: &Assignment,
        r: &Replica,
        (run, attempt): (Running, u32),
        dir: &RunDir,
        user: Option<u32>,
    ) -> io::Result<Process> {
        let Some((task, warm)) = warm_of(a) else { return Err(io::ErrorKind::InvalidInput.into()) };
        let places = &self.settings.places;
        // Where a worker waits it was made before.
        if !self.is_expected(a, r) || !places.home(a.launch.workspace).exists() {
            places.prepare_workspace(a.launch.workspace, user)?;
        }
        let tray = places.tray_of(a);
        tray.remove()?;
        let mut runs = self.ledger.of(a.workload);
        if runs.begin(r.run) {
            self.ledger.put(a.workload, runs.clone());
        }
        let mut order = Order {
            user,
            not_before: since_boot() + runs.wait(),
            log: LogFile {
                path: self.settings.places.log(a.workload, number(a, r)),
                limit: self.settings.log_limit,
                keep: self.settings.log_keep,
            },
            node: (&*r.node).into(),
            devices: devices_of(&r.devices),
            errand: Some(Errand {
                worker: self.settings.places.worker(WorkerId { first: run, attempt }).path().into(),
                task: warm.task.clone(),
                inputs: task.input.clone(),
                tray: tray.path().into(),
                output_limit: task.output_limit,
            }),
            ..Order::default()
        };
        let fit = fit(a, warm, r);
        while let Some(id) = self.workers.waiting_for(&fit) {
            let Some(worker) = self.workers.get(id).filter(|w| !w.process.dir.is_closing()) else {
                self.workers.dismiss(id);
                continue;
            };
            order.group.clone_from(&worker.process.group);
            order.errand.as_mut().expect("it was just made").worker = worker.process.dir.path().into();
            dir.create(&order)?;
            if worker.process.dir.hand_over(dir).is_ok() {
                let process = Process::handed(dir.clone(), attempt, &order, &worker.process);
                self.workers.employ(id, run);
                return Ok(process);
            }
            // Nobody can have taken it from there, nor will.
            self.workers.dismiss(id);
            dir.remove()?;
            order.errand.as_mut().expect("it was just made").worker =
                self.settings.places.worker(WorkerId { first: run, attempt }).path().into();
        }
        self.listen_for_workers()?;
        let id = WorkerId { first: run, attempt };
        let its = self.worker_order(a, r, warm, id, dir, user)?;
        order.group.clone_from(&its.group);
        dir.create(&order)?;
        let (home, its_warm) = (its.directory.clone(), its.warm.clone().unwrap_or_default());
        let at = self.settings.places.worker(id);
        let worker = Process::start(at, 0, its, &self.settings.supervisor, &mut self.watch);
        let process = Process::handed(dir.clone(), attempt, &order, &worker);
        self.wait_for(Whom::Worker(id), &worker.life.clone());
        self.workers.add(id, worker, its_warm, home);
        self.workers.employ(id, run);
        Ok(process)
    }

    fn worker_order(
        &self,
        a: &Assignment,
        r: &Replica,
        warm: &Warm,
        id: WorkerId,
        first: &RunDir,
        user: Option<u32>,
    ) -> io::Result<Order> {
        let places = &self.settings.places;
        let home = places.worker_home(a.launch.workspace, id);
        places.make_own(&home, user)?;
        places.make_own(&room(&home), user)?;
        let scene = Scene {
            places,
            assignment: a,
            replica: r,
            dir: &places.worker(id),
            restarts: 0,
            port: None,
            meeting_port: None,
            device_names: self.settings.device_names.get(&*r.node).map_or(&[], |names| names),
            base: &self.settings.env,
            is_apart: user.is_some(),
            worker: Some(&home),
        };
        let group = self.settings.groups.as_ref().map(|g| g.of(&format!("w-{}", id.name()), r.memory, r.cpu));
        Ok(Order {
            command: a.launch.command.clone(),
            env: scene.variables(),
            directory: home,
            user,
            node: (&*r.node).into(),
            devices: devices_of(&r.devices),
            group,
            warm: Some(WarmOrder {
                first: first.path().into(),
                bell: places.bell(),
                ready_within: warm.ready_within.0,
                idle: warm.idle.0,
                tasks: warm.tasks,
                fit: fit(a, warm, r),
                line: format!("{} {}", a.launch.workspace.0, warm.line).into(),
                workers: warm.workers,
                part: part(&r.devices),
                memory: r.memory,
            }),
            ..Order::default()
        })
    }

    /// From now on it is heard that a task has ended.
    pub(super) fn listen_for_workers(&mut self) -> io::Result<()> {
        if !self.hears_workers {
            private(&self.settings.places.workers())?;
            self.watch.listen(&self.settings.places.bell())?;
            self.hears_workers = true;
        }
        Ok(())
    }

    /// Whether a worker waits for this one.
    pub(super) fn is_expected(&self, a: &Assignment, r: &Replica) -> bool {
        warm_of(a).is_some_and(|(_, warm)| self.workers.waiting_for(&fit(a, warm, r)).is_some())
    }

    /// Sends away workers that wait and hold what these are given. Whether they are gone.
    pub(super) fn have_room(&mut self, missing: &[&Replica]) -> bool {
        if self.workers.is_empty() {
            return true;
        }
        let nodes: BTreeSet<&str> = missing.iter().map(|r| &*r.node).collect();
        let mut all_gone = true;
        for node in nodes {
            let new = || missing.iter().filter(|r| *r.node == *node);
            let total = new().map(|r| r.node_memory).max().unwrap_or(0);
            let mut memory = new().map(|r| r.memory).sum::<u64>();
            let mut devices = std::collections::BTreeMap::new();
            for (device, part) in new().flat_map(|r| taken(&r.devices)) {
                *devices.entry(device).or_insert(0u32) += u32::from(part);
            }
            self.replicas.each(|seen| {
                if *seen.node == *node {
                    memory += seen.memory;
                    for (device, part) in taken(&seen.devices) {
                        devices.entry(device).and_modify(|sum| *sum += u32::from(part));
                    }
                }
            });
            let left = |sum: u32| 1_000u16.saturating_sub(u16::try_from(sum).unwrap_or(u16::MAX));
            let wanted = Wanted {
                memory: total.saturating_sub(memory),
                devices: devices.into_iter().map(|(device, sum)| (device, left(sum))).collect(),
            };
            all_gone &= self.workers.make_way(node, &wanted);
        }
        all_gone
    }

    /// Looks at a worker: its supervisor has ended, or is not known yet.
    pub(super) fn look_at_worker(&mut self, id: WorkerId) {
        let Some(worker) = self.workers.get_mut(id) else { return };
        if worker.process.is_alive() {
            worker.process.look(&self.settings.supervisor, &mut self.watch);
        }
        let Life::Ended(exit) = worker.process.life.clone() else {
            let life = worker.process.life.clone();
            return self.wait_for(Whom::Worker(id), &life);
        };
        let Some(worker) = self.workers.remove(id) else { return };
        if let Some(run) = worker.run {
            self.look_at(run);
            self.fail_unbegun(id, run, exit);
        }
        let _ = worker.process.dir.remove();
        let _ = fs::remove_dir_all(&worker.home);
        if let Some(group) = &worker.process.group {
            groups::remove(&group.path);
        }
        self.children.extend(worker.process.into_child());
        // Somebody may have waited for what it held.
        self.unsettled.append(&mut self.waiting);
    }

    /// A worker that was started for a task and cannot begin is no reason to start another.
    fn fail_unbegun(&mut self, id: WorkerId, run: Running, exit: Exit) {
        if id.first != run || exit.code == 143 {
            return;
        }
        let known = self.workloads.get_mut(&run.workload);
        let process = known.and_then(|known| known.processes.get_mut(&(run.unit, run.index, run.run)));
        if let Some(process) = process.filter(|p| p.attempt == id.attempt && p.life == Life::Unbegun) {
            process.life = Life::Ended(exit);
        }
    }

    /// Finds workers that were started before. Those that wait do so no longer: whether a server before this one has
    /// handed them something cannot be told.
    pub(super) fn find_workers(&mut self) {
        let before = std::mem::take(&mut self.workers);
        let mut before = before.into_all();
        for directory in subdirectories(self.settings.places.workers()) {
            let Some(id) = WorkerId::of(&directory) else {
                let _ = fs::remove_dir_all(directory);
                continue;
            };
            let _ = self.listen_for_workers();
            if let Some(worker) = before.remove(&id) {
                self.workers.put_back(id, worker);
                continue;
            }
            let dir = self.settings.places.worker(id);
            let order = dir.order().unwrap_or_default();
            let process = Process::find(dir, 0, Some(0), &self.settings.supervisor, &mut self.watch);
            self.wait_for(Whom::Worker(id), &process.life.clone());
            self.workers.add(id, process, order.warm.unwrap_or_default(), order.directory);
            self.workers.dismiss(id);
        }
        self.children.extend(before.into_values().filter_map(|worker| worker.process.into_child()));
        self.clear_homes();
    }

    /// Removes what is left of workers that are gone: the machine may have been started anew.
    fn clear_homes(&self) {
        let workspaces = subdirectories(self.settings.places.all_work());
        for home in
            workspaces.flat_map(subdirectories).filter(|path| path.extension().is_some_and(|e| e == "worker"))
        {
            let id = home.file_stem().and_then(|name| WorkerId::of(name.as_ref()));
            if id.is_none_or(|id| self.workers.get(id).is_none()) {
                let _ = fs::remove_dir_all(home);
            }
        }
    }
}
