//! What a program finds in its environment.

use super::places::{Places, SAVED};
use super::strays::MARK;
use crate::assignment::{Assignment, Replica};
use crate::supervisor::RunDir;
use std::path::Path;
use tidegate_engine::slot::Devices;

/// One replica that is about to start.
pub(super) struct Scene<'a> {
    pub(super) places: &'a Places,
    pub(super) assignment: &'a Assignment,
    pub(super) replica: &'a Replica,
    pub(super) dir: &'a RunDir,
    /// How often it was started before.
    pub(super) restarts: u32,
    pub(super) port: Option<u16>,
    pub(super) meeting_port: Option<u16>,
    /// Names of the devices by which a driver knows them; their numbers if there are none.
    pub(super) device_names: &'a [Box<str>],
    /// What everybody finds, to begin with.
    pub(super) base: &'a [(Box<str>, Box<str>)],
    /// It has a home of its own.
    pub(super) is_apart: bool,
    /// It is a worker, and this is its directory: it does this task and others.
    pub(super) worker: Option<&'a Path>,
}

/// A replica's place among all of its run, by role and rank. Replicas of a service come and go: they keep the number
/// of their unit.
pub(super) fn number(a: &Assignment, replica: &Replica) -> u32 {
    if a.launch.is_service() {
        return replica.unit;
    }
    let place = |r: &Replica| (r.role, r.rank, r.unit, r.index);
    a.replicas.iter().filter(|r| place(r) < place(replica)).count() as u32
}

pub(super) fn devices(devices: &Devices) -> Vec<u16> {
    match devices {
        Devices::None => Vec::new(),
        Devices::Part { device, .. } => vec![*device],
        Devices::Mask(mask) => (0..64).filter(|bit| mask >> bit & 1 == 1).collect(),
        Devices::List(list) => list.to_vec(),
    }
}

impl Scene<'_> {
    /// Later ones replace earlier ones: a workload may set what it likes but for what it was granted.
    pub(super) fn variables(&self) -> Vec<(Box<str>, Box<str>)> {
        let a = self.assignment;
        let workspace = a.launch.workspace;
        let mut all: Vec<(Box<str>, Box<str>)> = self.base.to_vec();
        let mut set = |name: &str, value: String| {
            all.retain(|(n, _)| &**n != name);
            all.push((name.into(), value.into()));
        };
        if self.is_apart {
            set("HOME", self.places.home(workspace).display().to_string());
            // Nobody has this user on a list: who asks for its name is to find one.
            set("USER", format!("workspace-{}", workspace.0));
            set("LOGNAME", format!("workspace-{}", workspace.0));
        }
        set("TMPDIR", self.places.temporary(workspace).display().to_string());
        for (name, value) in &a.launch.env {
            set(name, value.to_string());
        }
        set(MARK, self.dir.path().display().to_string());
        set("TIDEGATE_MODULE", a.launch.module.word().to_string());
        set("TIDEGATE_NODE", self.replica.node.to_string());
        set("TIDEGATE_GRACE_SECONDS", (a.launch.grace.0 / 1_000).to_string());
        set("TIDEGATE_CPU", format!("{}.{:03}", self.replica.cpu / 1_000, self.replica.cpu % 1_000));
        set("TIDEGATE_MEMORY", self.replica.memory.to_string());
        match self.worker {
            Some(directory) => {
                set("TIDEGATE_WARM", "1".into());
                set("TIDEGATE_DIR", directory.display().to_string());
            }
            None => self.of_run(&mut set),
        }
        let devices = devices(&self.replica.devices);
        let list =
            |name: &dyn Fn(u16) -> String| devices.iter().map(|d| name(*d)).collect::<Vec<_>>().join(",");
        set("TIDEGATE_DEVICES", list(&|d| d.to_string()));
        if let Devices::Part { milli, .. } = self.replica.devices {
            set("TIDEGATE_GPU_PART", format!("0.{milli:03}"));
        }
        let named = |d: u16| self.device_names.get(usize::from(d)).map_or(d.to_string(), |n| n.to_string());
        set("CUDA_VISIBLE_DEVICES", list(&named));
        set("NVIDIA_VISIBLE_DEVICES", if devices.is_empty() { "none".into() } else { list(&named) });
        all
    }

    /// What is true of one run only.
    fn of_run(&self, set: &mut dyn FnMut(&str, String)) {
        let a = self.assignment;
        let (workspace, home) = (a.launch.workspace, a.home());
        let directory = self.places.directory(workspace, home, &a.name);
        let checkpoints = self.places.checkpoints(workspace, home, &a.name);
        set("TIDEGATE_WORKLOAD", a.name.to_string());
        set("TIDEGATE_DIR", directory.display().to_string());
        set("TIDEGATE_CHECKPOINT_DIR", checkpoints.display().to_string());
        set("TIDEGATE_CHECKPOINT_SAVED", checkpoints.join(SAVED).display().to_string());
        set("TIDEGATE_SAVED_SECONDS", format!("{}.{:03}", a.saved.0 / 1_000, a.saved.0 % 1_000));
        set("TIDEGATE_RESTARTS", self.restarts.to_string());
        if let Some(role) = a.launch.roles.get(usize::from(self.replica.role)) {
            set("TIDEGATE_ROLE", role.to_string());
        }
        let number = number(a, self.replica);
        set("TIDEGATE_REPLICA", number.to_string());
        if !a.launch.is_service() {
            // Each replica sees its own devices only, so it is the first and only one of its kind wherever it is.
            set("RANK", number.to_string());
            set("WORLD_SIZE", a.replicas.len().to_string());
            set("LOCAL_RANK", "0".into());
            set("LOCAL_WORLD_SIZE", "1".into());
        }
        if let Some(port) = self.meeting_port {
            set("MASTER_ADDR", "127.0.0.1".into());
            set("MASTER_PORT", port.to_string());
        }
        if let Some(port) = self.port {
            set("TIDEGATE_HOST", "127.0.0.1".into());
            set("TIDEGATE_PORT", port.to_string());
            set("PORT", port.to_string());
        }
        if let Some(path) = &a.launch.base_path {
            set("TIDEGATE_BASE_PATH", path.to_string());
        }
        if a.launch.task.is_some() {
            let tray = self.places.tray_of(a);
            set("TIDEGATE_INPUT", tray.input().display().to_string());
            set("TIDEGATE_OUTPUT", tray.output().display().to_string());
            set("TIDEGATE_OUTPUT_DIR", tray.files().display().to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::{Handover, Launch, Work};
    use std::collections::BTreeSet;
    use std::sync::Arc;
    use tidegate_engine::ids::{Span, Tick, WorkloadId};
    use tidegate_engine::words::Module;

    const PAGE: &str = include_str!("../../../../docs/what-your-program-sees.md");

    /// Names of all variables that one of two replicas with a role, a port and a part of a GPU finds.
    fn names(module: Module, worker: Option<&Path>) -> BTreeSet<String> {
        let mut launch = Launch::of_work(module, Work::default());
        launch.roles = vec!["worker".into()];
        launch.base_path = Some("/default/w".into());
        launch.task = Some(Handover { input: "null".into(), output_limit: 0, files_limit: 0, warm: None });
        let replica = Replica {
            unit: 0,
            index: 0,
            rank: 0,
            role: 0,
            run: 1,
            since: Tick::ZERO,
            node: "local-0".into(),
            devices: Devices::Part { device: 0, milli: 500 },
            model: None,
            cpu: 1_000,
            memory: 1,
            node_memory: 1,
        };
        let assignment = Assignment {
            workload: WorkloadId(1),
            name: "w".into(),
            generation: 1,
            launch: Arc::new(launch),
            run: 1,
            began: Tick::ZERO,
            saved: Span(0),
            saved_at: Tick::ZERO,
            replicas: vec![replica.clone(), Replica { index: 1, rank: 1, ..replica.clone() }],
            leaving: Vec::new(),
        };
        let scene = Scene {
            places: &Places::below("data"),
            assignment: &assignment,
            replica: &replica,
            dir: &RunDir::at("run"),
            restarts: 0,
            port: Some(20_000),
            meeting_port: Some(20_001),
            device_names: &[],
            base: &[],
            is_apart: true,
            worker,
        };
        scene.variables().into_iter().map(|(name, _)| name.into()).collect()
    }

    /// Names between backticks in the first column of the page's first table.
    fn documented() -> BTreeSet<String> {
        let rows = PAGE.lines().skip_while(|line| !line.starts_with("| variable |")).skip(2);
        let cells = rows.take_while(|line| line.starts_with('|')).filter_map(|line| line.split('|').nth(1));
        let names = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
        names.map(str::to_string).collect()
    }

    #[test]
    fn the_page_names_what_a_program_finds() {
        let mut found = names(Module::Training, None);
        found.extend(names(Module::Service, None));
        found.extend(names(Module::Task, Some(Path::new("worker"))));
        // They stand elsewhere on the page.
        found.retain(|name| !["HOME", "USER", "LOGNAME"].contains(&name.as_str()));
        assert_eq!(found, documented());
    }
}
