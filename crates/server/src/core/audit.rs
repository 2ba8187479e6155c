//! The whole log, judged by the checker: every decision of the past, verified by code that did not make it.

use super::entry::Body;
use super::recovery::RecoveryError;
use tidegate_check::{Checker, Metering};
use tidegate_engine::Engine;
use tidegate_store::Reader;

/// Entries read at once.
const BATCH: usize = 1_024;

/// What an audit found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audit {
    pub entries: u64,
    pub events: u64,
    /// What is wrong, and from which event on; the audit ends there.
    pub violation: Option<(u64, String)>,
}

/// Reads the log from its first event. A log whose beginning is archived cannot be audited by itself.
pub fn audit(reader: &dyn Reader, progress: &mut dyn FnMut(u64)) -> Result<Audit, RecoveryError> {
    let mut witness = Witness::default();
    let mut audit = Audit { entries: 0, events: 0, violation: None };
    loop {
        let entries = reader.entries(audit.events, BATCH)?;
        if entries.is_empty() {
            break;
        }
        for entry in entries {
            let first = entry.first;
            let body = Body::decode(&entry.body).map_err(|why| RecoveryError::Entry { first, why })?;
            if let Err(what) = witness.see(&body) {
                audit.violation = Some((first, what));
                return Ok(audit);
            }
            audit.entries += 1;
            audit.events = entry.next();
            progress(audit.events);
        }
    }
    if let Err(what) = witness.agree() {
        audit.violation = Some((audit.events, what));
    }
    Ok(audit)
}

#[derive(Default)]
struct Witness {
    checker: Checker,
    metering: Metering,
    engine: Engine,
}

impl Witness {
    fn see(&mut self, body: &Body) -> Result<(), String> {
        for events in body.commands() {
            self.checker.observe(events).map_err(|violation| violation.to_string())?;
            self.metering.observe(events, &self.checker).map_err(|violation| violation.to_string())?;
            events.iter().for_each(|event| self.engine.apply(event));
        }
        Ok(())
    }

    /// The engine's books, as a replay leaves them, are the checker's.
    fn agree(&self) -> Result<(), String> {
        self.checker.check_books(&self.engine.books()).map_err(|violation| violation.to_string())
    }
}
