//! What a supervisor is told to run.

use super::LocalExecutor;
use super::boot::since_boot;
use super::employing::warm_of;
use super::environment::{Scene, devices as devices_of, number};
use super::replica::Process;
use crate::assignment::{Assignment, Replica};
use crate::report::Running;
use crate::supervisor::{LogFile, Order, RunDir};
use tidegate_engine::words::Module;

impl LocalExecutor {
    /// Starts a replica. `failed`: so many attempts before this one failed in a row.
    pub(super) fn start(&mut self, a: &Assignment, r: &Replica, attempt: u32, failed: u32) -> Process {
        let run = Running { workload: a.workload, unit: r.unit, index: r.index, run: r.run };
        let dir = self.settings.places.run(run, attempt);
        let process = match self.settings.isolation.user(a.launch.workspace) {
            Err(why) => Process::refused(dir, &why),
            Ok(user) if warm_of(a).is_some() => self.start_warm(a, r, attempt, user),
            // Without it a task would be taken for what another run has left.
            Ok(user) if self.lay_tray(a, user).is_err() => {
                Process::refused(dir, "its inputs cannot be handed over")
            }
            Ok(user) => {
                let order = self.order(a, r, &dir, (attempt, failed), user);
                Process::start(dir, attempt, order, &self.settings.supervisor, &mut self.watch)
            }
        };
        self.follow(run, &process);
        self.show(a, r, &process);
        process
    }

    fn lay_tray(&self, a: &Assignment, user: Option<u32>) -> std::io::Result<()> {
        match &a.launch.task {
            None => Ok(()),
            Some(task) => self.settings.places.tray_of(a).lay(task, user),
        }
    }

    fn order(
        &mut self,
        a: &Assignment,
        r: &Replica,
        dir: &RunDir,
        (attempt, failed): (u32, u32),
        user: Option<u32>,
    ) -> Order {
        let places = &self.settings.places;
        let workspace = a.launch.workspace;
        // What cannot be made is missed by the supervisor, which says so.
        let _ = places.prepare(a, user);
        let mut runs = self.ledger.of(a.workload);
        if runs.begin(r.run) {
            self.ledger.put(a.workload, runs.clone());
        }
        // Replicas of a service come and go each by itself.
        let restarts = if a.launch.is_service() { attempt } else { runs.before };
        let listens = matches!(a.launch.module, Module::Notebook | Module::Service);
        let port = if listens { self.ports.take() } else { None };
        let meeting_port = self.meeting_port(a, r);
        let places = &self.settings.places;
        let own = places.directory(workspace, a.home(), &a.name);
        let scene = Scene {
            places,
            assignment: a,
            replica: r,
            dir,
            restarts,
            port,
            meeting_port,
            device_names: self.settings.device_names.get(&*r.node).map_or(&[], |names| names),
            base: &self.settings.env,
            is_apart: user.is_some(),
            worker: None,
        };
        let name = format!("{}-{}-{}-{}.{attempt}", a.workload.0, r.unit, r.index, r.run);
        let log = places.log(a.workload, number(a, r));
        Order {
            command: a.launch.command.clone(),
            env: scene.variables(),
            directory: a.launch.working_dir.as_deref().map_or(own.clone(), |dir| own.join(dir)),
            user,
            not_before: since_boot() + if a.launch.keep_up { 0 } else { runs.wait() },
            log: LogFile { path: log, limit: self.settings.log_limit, keep: self.settings.log_keep },
            port,
            meeting_port,
            node: (&*r.node).into(),
            devices: devices_of(&r.devices),
            group: self.settings.groups.as_ref().map(|groups| groups.of(&name, r.memory, r.cpu)),
            failed,
            warm: None,
            errand: None,
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
}
