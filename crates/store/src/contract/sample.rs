//! Content for the cases.

use crate::entry::{Entry, StoredEntry};
use crate::store::{Reader, Store};

/// A body that differs from entry to entry, in content and in length.
pub(super) fn body(first: u64) -> Vec<u8> {
    format!("{{\"entry\":{first},\"fill\":\"{}\"}}", "x".repeat((first % 97) as usize)).into_bytes()
}

/// Appends `entries` entries of `events` events each, in one group, and returns what should be read back: all but
/// the hashes, which are the store's.
pub(super) fn fill(store: &mut dyn Store, entries: u64, events: u32) -> Vec<(u64, u32, u64, Vec<u8>)> {
    let head = store.head();
    let expected: Vec<_> = (0..entries)
        .map(|index| {
            let first = head.next + index * u64::from(events);
            (first, events, head.at + 1 + index, body(first))
        })
        .collect();
    let group: Vec<_> = expected
        .iter()
        .map(|(first, events, at, body)| Entry {
            first: *first,
            events: *events,
            at: *at,
            body,
            ..Entry::default()
        })
        .collect();
    store.append(&group).expect("a group that continues the log");
    expected
}

pub(super) fn entry(store: &dyn Store, body: &'static [u8]) -> Entry<'static> {
    let head = store.head();
    Entry { first: head.next, events: 1, at: head.at, body, ..Entry::default() }
}

pub(super) fn reader(store: &dyn Store) -> Box<dyn Reader> {
    store.reader().expect("a reader of an open store")
}

pub(super) fn parts(entries: Vec<StoredEntry>) -> Vec<(u64, u32, u64, Vec<u8>)> {
    entries.into_iter().map(|entry| (entry.first, entry.events, entry.at, entry.body)).collect()
}
