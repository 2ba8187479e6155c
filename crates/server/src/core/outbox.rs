//! What the executor is to be told, once it is durable.

use super::control::Unavailable;
use super::world::World;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use tidegate_engine::ids::WorkloadId;
use tidegate_executor::dispatch::Change;
use tidegate_executor::{Assignment, Launch};

/// News for the executor's thread.
#[derive(Debug)]
pub enum Notice {
    Assign(Assignment),
    Forget(WorkloadId),
    /// The world was undone, or reports were lost: these are all assignments.
    Reconcile(Vec<Assignment>),
    /// It has something to poll.
    Look,
    /// Reports of it did not become durable.
    Lost(Unavailable),
    /// The server goes down. What runs goes on.
    Close,
}

#[derive(Debug)]
pub struct Outbox {
    sender: Sender<Vec<Notice>>,
}

impl Outbox {
    pub fn new(sender: Sender<Vec<Notice>>) -> Outbox {
        Outbox { sender }
    }

    pub(super) fn send(&self, notices: Vec<Notice>) {
        if !notices.is_empty() {
            // Nobody listens while the server goes down: the next start tells the executor everything.
            let _ = self.sender.send(notices);
        }
    }

    pub(super) fn close(&self) {
        let _ = self.sender.send(vec![Notice::Close]);
    }

    /// What was collected did not become durable: the executor is told everything again.
    pub(super) fn restate(&self, world: &World) {
        let _ = self.sender.send(vec![Notice::Reconcile(assignments(world))]);
    }
}

/// Takes down what changed, as the world stands after a group of requests.
pub(super) fn collect(world: &mut World) -> Vec<Notice> {
    let changes = std::mem::take(&mut world.changes);
    if std::mem::take(&mut world.restate) {
        return vec![Notice::Reconcile(assignments(world))];
    }
    let mut ended = BTreeSet::new();
    let mut assigned = BTreeSet::new();
    for change in changes {
        match change {
            Change::Assigned(workload) => assigned.insert(workload),
            Change::Ended(workload) => ended.insert(workload),
        };
    }
    let assigned = assigned.difference(&ended).filter_map(|workload| assignment(world, *workload));
    let mut notices: Vec<Notice> = assigned.map(Notice::Assign).collect();
    notices.extend(ended.into_iter().map(Notice::Forget));
    notices
}

/// All that should run.
pub fn assignments(world: &World) -> Vec<Assignment> {
    world.dispatch.assigned().filter_map(|workload| assignment(world, workload)).collect()
}

fn assignment(world: &World, workload: WorkloadId) -> Option<Assignment> {
    let launch: Arc<Launch> = world.launch(workload);
    world.dispatch.assignment(&world.engine, workload, &launch)
}
