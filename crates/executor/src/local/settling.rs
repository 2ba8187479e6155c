//! What should run against what runs.

use super::backoff;
use super::boot::since_boot;
use super::devices::Verdict;
use super::environment::devices as devices_of;
use super::handover::NOT_ACCEPTED;
use super::replica::{Life, Process};
use super::{Endpoint, LocalExecutor, Whom, groups};
use crate::assignment::{Assignment, Replica};
use crate::report::{Report, Running};
use crate::supervisor::Exit;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use tidegate_engine::ids::{Tick, WorkloadId};

/// One workload.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// What should run; `None` if it was forgotten, or was never heard of.
    pub(super) assignment: Option<Assignment>,
    pub(super) processes: BTreeMap<(u32, u32, u64), Process>,
    /// Units that were reported to be gone, with their runs.
    pub(super) gone: BTreeSet<(u32, u64)>,
    /// The latest save that was reported.
    pub(super) saved_at: Tick,
}

/// What becomes of a process.
pub(super) enum Fate {
    Stays,
    /// It may take until then.
    Leaves(Tick),
    /// It has no right to run.
    Dies,
}

impl Known {
    pub(super) fn fate(&self, (unit, index, run): (u32, u32, u64)) -> Fate {
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
        let given = |p: &Process| p.is_alive() && &*p.node == node && p.devices.contains(&device);
        self.processes.values().any(given)
    }

    pub(super) fn is_any_alive(&self) -> bool {
        self.processes.values().any(Process::is_alive)
    }
}

impl LocalExecutor {
    /// Compares what should run of a workload with what runs, and acts on the difference.
    pub(super) fn settle(&mut self, workload: WorkloadId, reports: &mut Vec<Report>) {
        let Some(mut known) = self.workloads.remove(&workload) else { return };
        let now = (self.clock)();
        self.let_go(workload, &mut known, now);
        self.tell(workload, &mut known, reports);
        self.start_missing(&mut known, now, reports);
        if known.assignment.is_none() && known.processes.is_empty() {
            // Nothing is left of it, and nobody will ask.
            let _ = fs::remove_dir_all(self.settings.places.runs_of(workload));
            self.ledger.forget(workload);
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
            if matches!(fate, Fate::Stays) {
                continue;
            }
            // Nobody new is sent there before it hears of its end.
            if let Some(endpoint) = process.endpoint(key.2) {
                self.endpoints.put(at, Endpoint { leaves: true, ..endpoint });
            }
            match fate {
                Fate::Leaves(by) => process.ask_to_leave(by.since(now).0),
                _ => process.ask_to_leave(0),
            }
            if process.is_alive() {
                let run = Running { workload, unit: key.0, index: key.1, run: key.2 };
                let life = process.life.clone();
                self.wait_for(Whom::Run(run), &life);
                continue;
            }
            self.endpoints.remove(at, key.2);
            self.replicas.remove(at, key.2);
            if matches!(fate, Fate::Dies) {
                let process = known.processes.remove(&key).expect("it was there a moment ago");
                self.clear_away(known, process);
            }
        }
    }

    /// Removes what is left of a process that has ended.
    fn clear_away(&mut self, known: &Known, process: Process) {
        let _ = process.dir.remove();
        if let Some(group) = process.group.as_ref().filter(|_| process.worker.is_none()) {
            groups::remove(&group.path);
        }
        if let Some(port) = process.port {
            self.ports.give_back(port);
        }
        // Replicas of one run meet at one port.
        let meets = |other: &Process| other.meeting_port == process.meeting_port;
        if let Some(port) = process.meeting_port.filter(|_| !known.processes.values().any(meets)) {
            self.ports.give_back(port);
        }
        self.children.extend(process.into_child());
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
            if a.launch.keep_up && !process.is_refused {
                self.keep_up(&a, r, known, exit.ran);
                continue;
            }
            self.replicas.remove((workload, r.unit, r.index), r.run);
            let exit = self.judged(&a, exit);
            if exit.code != 0 {
                self.note_failure(workload, r.run, exit.ran);
            }
            process.is_reported = true;
            let (unit, index, run) = key;
            let warm = process.is_warm(Running { workload, unit, index, run });
            let Exit { code, detail, .. } = exit;
            reports.push(Report::Exited { workload, unit, index, run, code, detail, warm });
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

    /// A task that says that it has succeeded has failed all the same if what it gives back is not accepted.
    fn judged(&self, a: &Assignment, exit: Exit) -> Exit {
        let Some(task) = a.launch.task.as_ref().filter(|_| exit.code == 0) else { return exit };
        match self.settings.places.tray_of(a).fault(task) {
            Some(why) => Exit::because(NOT_ACCEPTED, &why, exit.ran),
            None => exit,
        }
    }

    /// Starts a replica again where it is, later and later if it does not stay up. Until then its end stays where it
    /// is, for a server that comes after this one.
    fn keep_up(&mut self, a: &Assignment, r: &Replica, known: &mut Known, ran: u64) {
        let key = (r.unit, r.index, r.run);
        let Some(process) = known.processes.get_mut(&key) else { return };
        let failed = backoff::in_a_row(process.failed, ran);
        let now = since_boot();
        let at = *process.again_at.get_or_insert(now + backoff::wait(failed));
        if now < at {
            let run = Running { workload: a.workload, unit: r.unit, index: r.index, run: r.run };
            self.later.insert((at, Whom::Run(run)));
            return;
        }
        let again = self.start(a, r, process.attempt + 1, failed);
        if let Some(process) = known.processes.insert(key, again) {
            self.clear_away(known, process);
        }
    }

    /// Failures in a row make it wait.
    fn note_failure(&mut self, workload: WorkloadId, run: u64, ran: u64) {
        let mut runs = self.ledger.of(workload);
        if runs.failed_run != run {
            runs.fail(run, ran);
            self.ledger.put(workload, runs);
        }
    }

    /// Starts what is missing, once all that has no right to run is gone: they may share devices.
    fn start_missing(&mut self, known: &mut Known, now: Tick, reports: &mut Vec<Report>) {
        let Some(a) = known.assignment.clone() else { return };
        let dies =
            |(key, p): (&(u32, u32, u64), &Process)| p.is_alive() && matches!(known.fate(*key), Fate::Dies);
        if known.processes.iter().any(dies) {
            return;
        }
        if self.is_sweeping {
            self.unsettled.insert(a.workload);
            return;
        }
        let begun = |r: &Replica| known.processes.get(&(r.unit, r.index, r.run));
        let missing = |r: &&Replica| begun(r).is_none_or(|process| process.life == Life::Unbegun);
        let missing: Vec<&Replica> = a.replicas.iter().filter(missing).collect();
        // What a worker waits for is there already.
        let new: Vec<&Replica> = missing.iter().copied().filter(|r| !self.is_expected(&a, r)).collect();
        if !self.have_room(&new) || !self.are_clean(&new, known, now, reports) {
            self.waiting.insert(a.workload);
            return;
        }
        for r in missing {
            let key = (r.unit, r.index, r.run);
            let attempt = known.processes.get(&key).map_or(0, |unbegun| unbegun.attempt + 1);
            let process = self.start(&a, r, attempt, 0);
            known.processes.insert(key, process);
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
            let by_worker = self.workers.occupies(node, device);
            if by_worker || of_known.into_iter().any(|k| k.occupies(node, device)) {
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

    /// Ends a workload that has to go: each replica is asked to, and fails with the reason.
    pub(super) fn send_away(&mut self, workload: WorkloadId, why: &str) {
        let Some(known) = self.workloads.get_mut(&workload) else { return };
        let Some(grace) = known.assignment.as_ref().map(|a| a.launch.grace) else { return };
        for process in
            known.processes.values_mut().filter(|process| process.is_alive() && process.leave.is_none())
        {
            if process.dir.give_reason(why).is_ok() {
                process.ask_to_leave(grace.0);
            }
        }
        self.unsettled.insert(workload);
    }
}
