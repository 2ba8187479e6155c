//! How a workload was submitted, from the log alone: found by halves, as numbers of workloads ascend with it.

use crate::core::entry::Body;
use std::sync::Arc;
use tidegate_engine::EventKind;
use tidegate_engine::ids::WorkloadId;
use tidegate_engine::workload::WorkloadSpec;
use tidegate_store::{Reader, StoreError, StoredEntry};

/// Entries read at once in search of the next submission.
const BATCH: usize = 16;
/// Entries that are looked at between two submissions before the search is given up.
const MAX_BETWEEN: usize = 20_000;

/// What was submitted as this workload; `None` if that is archived.
pub(super) fn find(reader: &dyn Reader, id: WorkloadId) -> Result<Option<Arc<WorkloadSpec>>, StoreError> {
    let head = reader.head()?;
    let (mut low, mut high) = (head.base, head.next);
    while low < high {
        let middle = low + (high - low) / 2;
        let next = match next(reader, middle, high) {
            // It was archived this moment.
            Err(StoreError::Archived { .. }) => return Ok(None),
            next => next?,
        };
        let Some((entry, submitted)) = next else {
            high = middle;
            continue;
        };
        if let Some((_, spec)) = submitted.iter().find(|(of, _)| *of == id) {
            return Ok(Some(spec.clone()));
        }
        if submitted.iter().all(|(of, _)| *of < id) {
            low = entry.next();
        } else {
            // The entry in the middle may begin before it.
            high = middle.min(entry.first);
        }
    }
    Ok(None)
}

type Submitted = Vec<(WorkloadId, Arc<WorkloadSpec>)>;

/// The first entry with a submission that contains or follows an event.
fn next(
    reader: &dyn Reader,
    mut from: u64,
    below: u64,
) -> Result<Option<(StoredEntry, Submitted)>, StoreError> {
    let mut looked_at = 0;
    while from < below && looked_at < MAX_BETWEEN {
        let entries = reader.entries(from, BATCH)?;
        let Some(last) = entries.last() else { break };
        (from, looked_at) = (last.next(), looked_at + entries.len());
        for entry in entries {
            let submitted = submitted(&entry);
            if entry.first < below && !submitted.is_empty() {
                return Ok(Some((entry, submitted)));
            }
        }
    }
    Ok(None)
}

fn submitted(entry: &StoredEntry) -> Submitted {
    // Most entries are told from it without being read.
    let mark = br#""Queued""#;
    if !entry.body.windows(mark.len()).any(|part| part == mark) {
        return Vec::new();
    }
    let Ok(body) = Body::decode(&entry.body) else { return Vec::new() };
    let of = |kind: EventKind| match kind {
        EventKind::Queued { workload, spec, .. } => Some((workload, spec)),
        _ => None,
    };
    body.events.into_iter().filter_map(|event| of(event.kind)).collect()
}
