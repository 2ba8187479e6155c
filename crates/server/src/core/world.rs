//! All that the service knows, in memory: the books, and what it notes beside them.

use super::entry::{Body, Happened, Origin};
use super::learnt::Learnt;
use super::live::Live;
use super::receipts::Receipts;
use super::rooms::{Ownership, Rooms};
use super::shell::Shell;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use tidegate_api::duration::Duration;
use tidegate_api::limits::{DEFAULT_WARM_IDLE, DEFAULT_WARM_START};
use tidegate_api::name::Name;
use tidegate_api::uid;
use tidegate_billing::demand::Demand;
use tidegate_billing::{Business, Change as BusinessChange, Record};
use tidegate_engine::event::StopCause;
use tidegate_engine::ids::{Tick, WorkloadId, WorkspaceId};
use tidegate_engine::words::Module;
use tidegate_engine::workload::{Workload, WorkloadState};
use tidegate_engine::{Engine, Event, EventKind};
use tidegate_executor::dispatch::{Change, Dispatch};
use tidegate_executor::{Handover, Launch, Warm, Work};
use tidegate_identity::people::ADMIN;
use tidegate_identity::{Change as PeopleChange, People};

pub use tidegate_api::workload::Document;
use tidegate_api::workload::Visibility;

/// What a workspace is called that is there no longer.
pub const DELETED_ROOM: &str = "deleted";

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct World {
    pub engine: Engine,
    pub shell: Shell,
    pub people: People,
    /// Price books, templates and what else bills need.
    pub business: Business,
    /// Number of the next event.
    pub next: u64,
    /// The latest time that the engine was told, with or without an event: it refuses to go back, and a snapshot
    /// remembers it.
    pub at: Tick,
    /// How far work has come, for the executor.
    pub dispatch: Dispatch,
    /// What was submitted, as it was submitted. Lies beside the log.
    #[serde(skip)]
    pub documents: BTreeMap<WorkloadId, Arc<Document>>,
    /// Which workloads somebody sees: follows from the documents.
    #[serde(skip)]
    pub rooms: Rooms,
    /// Lie beside the log, too.
    #[serde(skip)]
    pub receipts: Receipts,
    /// How long tasks took: follows from what is in memory.
    #[serde(skip)]
    pub learnt: Learnt,
    /// Tasks of resource configs: follows from the books.
    #[serde(skip)]
    pub live: Live,
    /// What the executor has not been told yet.
    #[serde(skip)]
    pub(super) changes: Vec<Change>,
    /// Whether it is to be told everything, changed or not.
    #[serde(skip)]
    pub(super) restate: bool,
    /// Whether those who let people in have not seen all changes of `people` yet.
    #[serde(skip)]
    pub(super) people_changed: bool,
}

impl World {
    /// Takes in an event that the engine has applied.
    pub(super) fn observe(&mut self, event: &Event, origin: &Arc<Origin>) {
        self.shell.observe(self.next, event, origin);
        self.changes.extend(self.dispatch.follow(&self.engine, self.next, event));
        if let EventKind::Finished { workload } = &event.kind {
            self.learn(*workload);
        }
        if let EventKind::Finished { workload }
        | EventKind::Failed { workload, .. }
        | EventKind::Stopped { workload, .. }
        | EventKind::Released { workload, .. } = &event.kind
        {
            self.leave(*workload);
        }
        if let EventKind::Stopped { workload, cause: StopCause::MaxRun } = &event.kind {
            let why = self.engine.workload(*workload).map(|w| self.ran_out(w).into());
            if let Some(record) = self.shell.workloads.get_mut(workload) {
                record.stop_reason = why;
            }
        }
        if let EventKind::Forgotten { workload } = &event.kind {
            self.documents.remove(workload);
            self.rooms.remove(*workload);
        }
        self.next += 1;
        self.at = self.at.max(event.at);
    }

    /// Why a workload was stopped that has run for as long as it may: how long, and who said so.
    fn ran_out(&self, w: &Workload) -> String {
        let (room, quota) = (w.spec.workspace, w.spec.quota);
        let policy = self.people.policy(room, quota);
        let allowed = policy.and_then(|policy| policy.longest_run(w.spec.module));
        let time =
            w.spec.max_run.map_or_else(|| "some time".to_string(), |max| Duration::of(max).to_string());
        if allowed.is_none() || allowed != w.spec.max_run {
            return format!(
                "stopped by the system (max-run): it ran for {time}, as long as it was submitted for"
            );
        }
        let (room, module) = (self.room_name(room), w.spec.module.word());
        let quota = self.engine.quota(quota).map_or("its quota", |quota| &quota.name);
        let what = if w.spec.module == Module::Notebook { "notebook" } else { "training job" };
        format!(
            "stopped by the scheduling center of {room} ({module}.max-run-time): it ran for {time}, and no {what} \
             runs for longer in {quota}"
        )
    }

    /// Takes in what was submitted; the engine knows the workload.
    pub(super) fn file(&mut self, id: WorkloadId, document: Arc<Document>) {
        if let Some(w) = self.engine.workload(id) {
            let owner = w.spec.owner.map_or(ADMIN, |owner| owner.member);
            let private = document.spec.visibility == Some(Visibility::Private);
            self.rooms.insert(id, Ownership { workspace: w.spec.workspace, owner, private });
            if !w.state.is_ended() && self.business.config_of(w.spec.quota).is_some() {
                self.live.insert(w.spec.quota, id, &Demand::of(&w.spec));
            }
        }
        self.documents.insert(id, document);
    }

    /// Takes a task of a resource config off the list if it has ended.
    fn leave(&mut self, id: WorkloadId) {
        if let Some(w) = self.engine.workload(id).filter(|w| w.state.is_ended()) {
            self.live.remove(w.spec.quota, id, &Demand::of(&w.spec));
        }
    }

    /// Learns from a task that has succeeded.
    pub(super) fn learn(&mut self, id: WorkloadId) {
        let task = self.documents.get(&id).and_then(|document| document.spec.task.as_ref());
        if let Some((task, record)) = task.zip(self.shell.workloads.get(&id)) {
            self.learnt.learn(task, record);
        }
    }

    /// Learns from all that is in memory: events were taken in before the documents were.
    pub(super) fn learn_anew(&mut self) {
        let finished =
            |id: &WorkloadId| self.engine.workload(*id).is_some_and(|w| w.state == WorkloadState::Finished);
        let ended = self.shell.ended.iter().map(|(_, id)| *id);
        let ended: Vec<WorkloadId> = ended.filter(finished).collect();
        ended.into_iter().for_each(|id| self.learn(id));
    }

    /// Takes in a change of users or workspaces.
    pub(super) fn take_in(&mut self, change: &PeopleChange) {
        self.people.apply(self.next, change);
        self.people_changed = true;
        self.next += 1;
        self.at = self.at.max(change.at);
    }

    /// Takes in a change of the business.
    pub(super) fn take_in_business(&mut self, change: &BusinessChange) {
        self.business.apply(self.next, change);
        // What a quota is for is part of what people change of it.
        if let Some(Record::Compute(compute)) = change.after.as_deref().or(change.before.as_deref())
            && let Some(quota) = self.shell.quotas.get_mut(&compute.quota)
        {
            quota.version = self.next;
        }
        self.next += 1;
        self.at = self.at.max(change.at);
    }

    /// Takes in an entry of the log. `tell` sees each event when the engine has applied it.
    pub(super) fn replay(&mut self, body: Body, mut tell: impl FnMut(&World, &Event)) {
        // What is told of an event may depend on them.
        body.facts.iter().for_each(|fact| self.shell.learn(fact));
        for happened in body.happened() {
            match happened {
                Happened::Event(event) => {
                    self.engine.apply(event);
                    tell(self, event);
                    self.observe(event, &body.origin);
                }
                Happened::People(change) => self.take_in(change),
                Happened::Business(change) => self.take_in_business(change),
            }
        }
        self.changes.clear();
    }

    /// Who stopped the workload of an event and why, where nobody asked for it.
    pub fn stop_reason(&self, event: &Event) -> Option<&str> {
        let EventKind::Stopped { workload, .. } = &event.kind else { return None };
        self.shell.workloads.get(workload)?.stop_reason.as_deref()
    }

    /// A copy of what a snapshot holds. What lies beside the log is not copied: there is much of it.
    pub(super) fn for_snapshot(&self) -> World {
        World {
            engine: self.engine.clone(),
            shell: self.shell.clone(),
            people: self.people.clone(),
            business: self.business.clone(),
            next: self.next,
            at: self.at,
            dispatch: self.dispatch.clone(),
            ..World::default()
        }
    }

    /// The name of a workspace. One that was deleted has left workloads that have ended.
    pub fn room_name(&self, id: WorkspaceId) -> Name {
        let name = self.people.workspace(id).and_then(|room| room.name.parse().ok());
        name.unwrap_or_else(|| DELETED_ROOM.parse().expect("a name"))
    }

    /// How a workload is started.
    pub fn launch(&self, id: WorkloadId) -> Arc<Launch> {
        let Some((document, w)) = self.documents.get(&id).zip(self.engine.workload(id)) else {
            return Arc::new(Launch::of_work(Module::Training, Work::default()));
        };
        let spec = &document.spec;
        let words = |words: &[String]| words.iter().map(|word| word.as_str().into()).collect();
        let work = spec.virtual_run.map_or(Work::default(), |run| Work {
            duration: run.duration.map(|d| d.span()),
            checkpoint: run.checkpoint.map(|d| d.span()),
            hang: run.hang,
            fails: run.fails.map(i32::from),
        });
        Arc::new(Launch {
            module: w.spec.module,
            workspace: w.spec.workspace,
            roles: spec.roles.iter().map(|role| role.name.as_str().into()).collect(),
            command: words(&spec.command),
            env: spec.env.iter().map(|(k, v)| (k.as_str().into(), v.as_str().into())).collect(),
            working_dir: spec.working_dir.as_deref().map(Into::into),
            grace: w.spec.grace,
            base_path: matches!(w.spec.module, Module::Notebook | Module::Service)
                .then(|| format!("/{}/{}", self.room_name(w.spec.workspace), w.spec.name).into()),
            directory_of: document.directory_of.map(WorkloadId),
            keep_up: w.spec.module == Module::Service && spec.restarts.is_none(),
            task: spec.task.as_ref().map(|task| Handover {
                input: task.inputs.to_string().into(),
                output_limit: task.output_limit.bytes(),
                files_limit: task.files_limit.bytes(),
                warm: task.warm.as_ref().map(|warm| Warm {
                    task: uid::workload(id).into(),
                    line: format!("{}@{}", task.template_uid, task.version).into(),
                    workers: warm.workers,
                    idle: warm.idle_timeout.map_or(DEFAULT_WARM_IDLE, |time| time.span()),
                    tasks: warm.max_tasks,
                    ready_within: warm.start_timeout.map_or(DEFAULT_WARM_START, |time| time.span()),
                }),
            }),
            work,
        })
    }
}
