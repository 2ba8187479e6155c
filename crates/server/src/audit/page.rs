//! A page of the audit. Reads from the store; the world is looked at without waiting for the disk.

use super::gone;
use super::scan::{Asked, Wanted};
use super::shown::View;
use crate::core::control::Control;
use crate::http::auth::Caller;
use std::ops::ControlFlow;
use tidegate_api::audit::AuditEntry;
use tidegate_engine::ids::WorkspaceId;
use tidegate_store::{Reader, StoreError};

/// Entries that are read before they are shown: of most that are asked for, something is.
const HANDFUL: usize = 100;

/// What was found, newest first. Names of others are under seal.
#[derive(Debug)]
pub struct Looked {
    pub items: Vec<AuditEntry>,
    /// Where to go on: events below this number.
    pub next: Option<u64>,
    /// Where the log begins, if its beginning is archived.
    pub archived_below: Option<u64>,
}

/// At most `limit` entries that are about events below `below`.
pub fn look(
    control: &Control,
    reader: &dyn Reader,
    caller: &Caller,
    room: Option<WorkspaceId>,
    wanted: &Wanted,
    below: u64,
    limit: usize,
) -> Result<Looked, StoreError> {
    let base = reader.head()?.base;
    let mut looked =
        Looked { items: Vec::new(), next: Some(below), archived_below: (base > 0).then_some(base) };
    // A filter that little passes is cut short here as well: each round looks at no more than its share.
    for _ in 0..HANDFUL {
        let Some(below) = looked.next else { break };
        let wants = (limit - looked.items.len()).min(HANDFUL);
        let mut asked: Vec<Asked> = Vec::with_capacity(wants);
        let whole = |asked: &Vec<Asked>| {
            if asked.len() < wants { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        looked.next = wanted.back(reader, below, |entry| {
            asked.push(entry);
            whole(&asked)
        })?;
        let missing = control.read_blocking(|world| gone::missing(world, &asked));
        let gone = gone::find(reader, &control.people(), missing)?;
        control.read_blocking(|world| {
            let view = View { world, caller, room, gone: &gone };
            looked.items.extend(asked.iter().filter_map(|asked| view.entry(asked)));
        });
        if looked.items.len() >= limit || asked.len() < wants {
            break;
        }
    }
    Ok(looked)
}
