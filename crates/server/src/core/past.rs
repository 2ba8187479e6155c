//! What is read back from the store: workloads that left memory, and events by their numbers.

use super::entry::Body;
use super::lines;
use super::world::World;
use tidegate_api::event::Event as ApiEvent;
use tidegate_api::workload::Workload;
use tidegate_engine::Event;
use tidegate_store::{Reader, StoreError, StoredPast};

/// A workload as it was when it left memory.
pub fn resource(row: &StoredPast) -> Option<Workload> {
    serde_json::from_slice(&row.body).ok()
}

/// The events with these numbers, ascending; those that were archived are left out.
pub fn events(reader: &dyn Reader, numbers: &[u64]) -> Result<Vec<(u64, Event)>, StoreError> {
    let mut found = Vec::new();
    let mut entry: Option<(u64, Vec<Event>)> = None;
    for &number in numbers {
        let inside = |(first, events): &(u64, Vec<Event>)| {
            number.checked_sub(*first).and_then(|at| events.get(at as usize)).cloned()
        };
        if let Some(event) = entry.as_ref().and_then(inside) {
            found.push((number, event));
            continue;
        }
        let stored = match reader.entries(number, 1) {
            Ok(stored) => stored,
            Err(StoreError::Archived { .. }) => continue,
            Err(error) => return Err(error),
        };
        entry = stored
            .into_iter()
            .next()
            .and_then(|stored| Body::decode(&stored.body).ok().map(|body| (stored.first, body.events)));
        found.extend(entry.as_ref().and_then(inside).map(|event| (number, event)));
    }
    Ok(found)
}

/// Events as they were published, with the names of today.
pub fn lines(world: &World, events: &[(u64, Event)]) -> Vec<ApiEvent> {
    let line = |(number, event): &(u64, Event)| lines::line(world, *number, event);
    events.iter().filter_map(line).filter_map(|line| serde_json::from_str(&line.data).ok()).collect()
}
