//! All that the service knows, in memory: the books, and what it notes beside them.

use super::entry::{Body, Origin};
use super::receipts::Receipts;
use super::shell::Shell;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use tidegate_engine::ids::{Tick, WorkloadId};
use tidegate_engine::{Engine, Event};

pub use tidegate_api::workload::Document;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct World {
    pub engine: Engine,
    pub shell: Shell,
    /// Number of the next event.
    pub next: u64,
    /// Time of the latest event.
    pub at: Tick,
    /// What was submitted, as it was submitted. Lies beside the log.
    #[serde(skip)]
    pub documents: BTreeMap<WorkloadId, Arc<Document>>,
    /// Lie beside the log, too.
    #[serde(skip)]
    pub receipts: Receipts,
}

impl World {
    /// Takes in an event that the engine has applied.
    pub(super) fn observe(&mut self, event: &Event, origin: &Arc<Origin>) {
        self.shell.observe(self.next, event, origin);
        self.next += 1;
        self.at = self.at.max(event.at);
    }

    /// Takes in an entry of the log. `tell` sees each event when the engine has applied it.
    pub(super) fn replay(&mut self, body: Body, mut tell: impl FnMut(&World, &Event)) {
        let origin = Arc::new(body.origin);
        for event in &body.events {
            self.engine.apply(event);
            tell(self, event);
            self.observe(event, &origin);
        }
        body.facts.iter().for_each(|fact| self.shell.learn(fact));
    }
}
