//! `tidegate submit`: a workload from flags, from a file, or from a file with some fields changed.

use super::PATH;
use super::act::priority;
use super::logs::follow;
use super::show::{sentence, text};
use super::wait::wait;
use crate::client::{Ask, Changed, Client};
use crate::exit::{Failure, Outcome, note};
use crate::manifest;
use crate::output::change::ChangeOptions;
use clap::{ArgGroup, Args};
use std::path::PathBuf;
use tidegate_api::decimal::{Cores, Gpus};
use tidegate_api::duration::Duration;
use tidegate_api::memory::Memory;
use tidegate_api::name::Name;
use tidegate_api::priorities::Priority;
use tidegate_api::words::{IdleUse, Module, OnPreempt};
use tidegate_api::workload::{
    NewWorkload, ReplicaResources, RoleSpec, VirtualRun, Visibility, Workload, WorkloadSpec,
};

pub(crate) const EXAMPLES: &str = "Examples:
  tidegate submit -- echo hi
  tidegate submit --name train-1 --quota Quota1.1 --replicas 4 --gpus 8 --priority 5 -- python train.py
  tidegate submit --module service --name web --gpus 0.5 --replicas 3 --ready-path /health -- ./serve
  tidegate submit --workspace workspace-b --private -- python try.py
  tidegate submit -f train.yaml --priority 7 --dry-run     who would be preempted, and why
  tidegate submit --wait --timeout 10m -- make test; echo $?
  tidegate submit --follow -- python train.py              as if it ran here
  tidegate submit --gpus 8 --duration 1h                   on the virtual executor

With --wait or --follow the exit code is the job's; 8 means that it had not ended when the time was over.";

#[derive(Args, Clone, Debug)]
#[command(group(ArgGroup::new("waits").args(["wait", "follow"]).multiple(true)))]
pub(crate) struct Submit {
    /// A manifest of kind Workload; - reads standard input. Flags change its fields
    #[arg(short, long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Its name; the server chooses one if absent
    #[arg(short, long)]
    name: Option<Name>,
    /// The quota whose queue it waits in
    #[arg(short, long)]
    quota: Option<Name>,
    /// The workspace that it belongs to; needed if you are a member of several
    #[arg(long)]
    workspace: Option<Name>,
    /// Of its workspace, only you see it, and those who operate everybody's work
    #[arg(long)]
    private: bool,
    /// training (the default), notebook, service or task
    #[arg(short, long)]
    module: Option<Module>,
    /// 1 to 9, larger is more important
    #[arg(short, long, value_parser = priority)]
    priority: Option<Priority>,
    /// Equal replicas
    #[arg(short, long)]
    replicas: Option<u32>,
    /// Replicas below which it does not run
    #[arg(long, value_name = "N")]
    min_replicas: Option<u32>,
    /// A size that the workspace offers, instead of GPUs, cores and memory; `tidegate workspace policy show` lists them
    #[arg(long, value_name = "NAME", conflicts_with_all = ["gpus", "cpu", "memory", "role"])]
    size: Option<Name>,
    /// GPUs of each replica: a part of one, or whole ones
    #[arg(short, long)]
    gpus: Option<Gpus>,
    /// Cores of each replica
    #[arg(long, value_name = "CORES")]
    cpu: Option<Cores>,
    /// Memory of each replica, such as 16Gi
    #[arg(long, value_name = "SIZE")]
    memory: Option<Memory>,
    /// A kind of replicas within a gang, such as worker=4x8; may be repeated
    #[arg(long, value_name = "NAME=REPLICASxGPUS", value_parser = role, conflicts_with_all = ["replicas", "gpus", "cpu", "memory"])]
    role: Vec<RoleSpec>,
    /// GPU models that it may run on
    #[arg(long, value_name = "MODEL", value_delimiter = ',')]
    gpu_model: Vec<Name>,
    /// Nodes that it may run on
    #[arg(long, value_name = "NODE", value_delimiter = ',')]
    node: Vec<Name>,
    /// Whether training uses idle capacity of others: never, accept or only
    #[arg(long, value_name = "USE")]
    idle: Option<IdleUse>,
    /// Time between being asked to stop and being killed
    #[arg(long, value_name = "TIME")]
    grace: Option<Duration>,
    /// It can be suspended, so that an eviction costs no work
    #[arg(long)]
    suspend: bool,
    /// Restarts after failures
    #[arg(long, value_name = "N")]
    restarts: Option<u32>,
    /// What becomes of it when it is preempted: requeue or stop
    #[arg(long, value_name = "WHAT")]
    on_preempt: Option<OnPreempt>,
    /// Longest time to run
    #[arg(long, value_name = "TIME")]
    max_run_time: Option<Duration>,
    /// A notebook is stopped when nobody has asked it for so long
    #[arg(long, value_name = "TIME")]
    idle_timeout: Option<Duration>,
    /// A replica of a notebook or service is ready when a GET of this path succeeds
    #[arg(long, value_name = "PATH")]
    ready_path: Option<String>,
    /// An environment variable; may be repeated
    #[arg(short, long, value_name = "KEY=VALUE", value_parser = pair)]
    env: Vec<(String, String)>,
    /// A label; may be repeated
    #[arg(short, long, value_name = "KEY=VALUE", value_parser = pair)]
    label: Vec<(String, String)>,
    /// The directory that it is started in
    #[arg(long, value_name = "DIR")]
    working_dir: Option<String>,
    #[command(flatten)]
    played: Played,
    /// Wait until it has ended, and exit with its exit code
    #[arg(short, long, conflicts_with = "dry_run")]
    wait: bool,
    /// Print what it writes until it has ended, and exit with its exit code
    #[arg(long, conflicts_with = "dry_run")]
    follow: bool,
    /// With --wait or --follow: wait no longer than this, then exit with 8
    #[arg(long, value_name = "TIME", requires = "waits")]
    timeout: Option<Duration>,
    #[command(flatten)]
    options: ChangeOptions,
    /// The program and its arguments
    #[arg(last = true, value_name = "CMD")]
    command: Vec<String>,
}

/// What the virtual executor plays.
#[derive(Args, Clone, Debug)]
pub(crate) struct Played {
    /// How long it runs; until it is stopped if absent
    #[arg(long, value_name = "TIME", help_heading = "Virtual executor")]
    duration: Option<Duration>,
    /// How often its work is saved
    #[arg(long, value_name = "TIME", help_heading = "Virtual executor")]
    checkpoint: Option<Duration>,
    /// It ends with this exit code
    #[arg(long, value_name = "CODE", help_heading = "Virtual executor")]
    fails: Option<u8>,
    /// It does not stop when it is asked to
    #[arg(long, help_heading = "Virtual executor")]
    hang: bool,
}

pub(crate) fn pair(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write it as KEY=VALUE")?;
    if key.is_empty() { Err("the key is empty".into()) } else { Ok((key.into(), value.into())) }
}

fn role(text: &str) -> Result<RoleSpec, String> {
    let wrong = || format!("{text:?} is not NAME=REPLICASxGPUS, such as worker=4x8");
    let (name, size) = text.split_once('=').ok_or_else(wrong)?;
    let (replicas, gpus) = size.split_once('x').ok_or_else(wrong)?;
    let resources = ReplicaResources { gpu: Some(gpus.parse()?), ..ReplicaResources::default() };
    Ok(RoleSpec { name: name.parse()?, replicas: replicas.parse().map_err(|_| wrong())?, resources })
}

impl Submit {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        let new = self.workload()?;
        let changed: Changed<Workload> = client.change(Ask::post(PATH, &new)?, self.options.dry_run)?;
        match changed {
            Changed::Made(workload) if self.follow => self.follow(client, &workload),
            changed => {
                self.options.print(&changed, sentence, |workload, _| text(workload))?;
                match changed {
                    Changed::Made(workload) if self.wait => wait(client, &workload, self.timeout, || ()),
                    _ => Ok(()),
                }
            }
        }
    }

    /// stdout is the job's: whatever else is to be said goes to stderr.
    fn follow(&self, client: &Client, workload: &Workload) -> Outcome {
        note(sentence(workload));
        let (told, uid) = (client.clone(), workload.metadata.uid.clone());
        let is_numbered = workload.status.replicas.wanted > 1;
        let output = std::thread::spawn(move || follow(&told, &uid, is_numbered, Vec::new()));
        wait(client, workload, self.timeout, || match output.join() {
            Ok(Err(failure)) if !failure.is_silent() => note(format!("no more output: {failure}")),
            _ => {}
        })
    }

    /// What the file says, with what the flags say in its place.
    fn workload(&self) -> Outcome<NewWorkload> {
        let mut new = match &self.file {
            Some(file) => manifest::one_workload(file)?,
            None => NewWorkload::new(Default::default(), WorkloadSpec::default()),
        };
        if self.name.is_some() {
            new.metadata.name.clone_from(&self.name);
        }
        for (key, value) in &self.label {
            let key: Name = key.parse().map_err(|why| Failure::usage(format!("label {key:?}: {why}")))?;
            new.metadata.labels.0.insert(key, value.clone());
        }
        self.onto(&mut new.spec);
        Ok(new)
    }

    fn onto(&self, spec: &mut WorkloadSpec) {
        fn set<T: Clone>(field: &mut Option<T>, flag: &Option<T>) {
            if flag.is_some() {
                field.clone_from(flag);
            }
        }
        set(&mut spec.quota, &self.quota);
        set(&mut spec.workspace, &self.workspace);
        set(&mut spec.visibility, &self.private.then_some(Visibility::Private));
        set(&mut spec.module, &self.module);
        set(&mut spec.priority, &self.priority);
        set(&mut spec.replicas, &self.replicas);
        set(&mut spec.min_replicas, &self.min_replicas);
        set(&mut spec.idle, &self.idle);
        set(&mut spec.grace_period, &self.grace);
        set(&mut spec.restarts, &self.restarts);
        set(&mut spec.on_preempt, &self.on_preempt);
        set(&mut spec.max_run_time, &self.max_run_time);
        set(&mut spec.idle_timeout, &self.idle_timeout);
        if self.ready_path.is_some() {
            set(&mut spec.readiness.get_or_insert_default().path, &self.ready_path);
        }
        set(&mut spec.working_dir, &self.working_dir);
        set(&mut spec.suspend, &self.suspend.then_some(true));
        if self.size.is_some() {
            (spec.size, spec.resources) = (self.size.clone(), None);
        }
        if self.gpus.is_some() || self.cpu.is_some() || self.memory.is_some() {
            let resources = spec.resources.get_or_insert_default();
            set(&mut resources.gpu, &self.gpus);
            set(&mut resources.cpu, &self.cpu);
            set(&mut resources.memory, &self.memory);
        }
        let lists = [(&mut spec.gpu_models, &self.gpu_model), (&mut spec.nodes, &self.node)];
        for (field, flag) in lists {
            if !flag.is_empty() {
                field.clone_from(flag);
            }
        }
        if !self.role.is_empty() {
            spec.roles.clone_from(&self.role);
        }
        if !self.command.is_empty() {
            spec.command.clone_from(&self.command);
        }
        spec.env.extend(self.env.iter().cloned());
        self.played.onto(&mut spec.virtual_run);
    }
}

impl Played {
    pub(crate) fn onto(&self, run: &mut Option<VirtualRun>) {
        if self.duration.is_none() && self.checkpoint.is_none() && self.fails.is_none() && !self.hang {
            return;
        }
        let run = run.get_or_insert_default();
        run.duration = self.duration.or(run.duration);
        run.checkpoint = self.checkpoint.or(run.checkpoint);
        run.fails = self.fails.or(run.fails);
        run.hang |= self.hang;
    }
}
