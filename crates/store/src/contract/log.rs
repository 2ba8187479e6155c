//! Cases about the log.

use super::Fixture;
use super::sample::{body, entry, fill, parts, reader};
use crate::entry::{Entry, Head};
use crate::error::StoreError;

pub(super) fn a_new_store_is_empty(fixture: &dyn Fixture) {
    let store = fixture.open();
    assert_eq!(store.head(), Head::default());
    let reader = reader(&*store);
    assert_eq!(reader.head(), Ok(Head::default()));
    assert_eq!(reader.entries(0, 10), Ok(vec![]));
    assert_eq!(reader.entries(7, 10), Ok(vec![]));
    assert_eq!(reader.newest_snapshot(), Ok(None));
    assert_eq!(reader.document(0), Ok(None));
    assert_eq!(reader.receipt("key"), Ok(None));
    assert_eq!(reader.meta("key"), Ok(None));
}

pub(super) fn what_is_appended_is_read_back(fixture: &dyn Fixture) {
    let mut store = fixture.open();
    let expected = fill(&mut *store, 3, 2);
    let head = store.head();
    assert_eq!((head.base, head.next, head.at), (0, 6, 3));
    let found = reader(&*store).entries(0, 10).expect("entries");
    assert_eq!(found[2].hash, head.hash, "the head carries the hash of the last entry");
    assert_eq!(found[2].next(), head.next);
    assert_eq!(parts(found), expected);
}

pub(super) fn an_entry_is_found_by_any_of_its_events(fixture: &dyn Fixture) {
    let mut store = fixture.open();
    fill(&mut *store, 4, 3);
    let reader = reader(&*store);
    for event in 0..12 {
        let found = reader.entries(event, 1).expect("entries");
        assert_eq!(found.len(), 1, "event {event}");
        assert_eq!(found[0].first, event / 3 * 3, "event {event}");
    }
    assert_eq!(reader.entries(12, 1), Ok(vec![]), "one past the end");
    assert_eq!(reader.entries(u64::MAX, 1), Ok(vec![]));
    assert_eq!(reader.entries(0, 0), Ok(vec![]));
}

pub(super) fn pages_continue_where_the_last_one_ended(fixture: &dyn Fixture) {
    let mut store = fixture.open();
    let mut expected = fill(&mut *store, 10, 2);
    expected.extend(fill(&mut *store, 13, 1));
    let reader = reader(&*store);
    let (mut from, mut found) = (0, Vec::new());
    loop {
        let page = reader.entries(from, 4).expect("a page");
        let Some(last) = page.last() else { break };
        from = last.next();
        found.extend(page);
    }
    assert_eq!(parts(found), expected);
}

pub(super) fn a_group_is_all_or_nothing(fixture: &dyn Fixture) {
    let mut store = fixture.open();
    let expected = fill(&mut *store, 2, 1);
    let before = store.head();
    let good = Entry { documents: &[(9, b"nine")], ..entry(&*store, b"good") };
    let bad = Entry { first: good.first + 2, ..good };
    assert!(matches!(store.append(&[good, bad]), Err(StoreError::Misuse { .. })));
    assert_eq!(store.head(), before);
    let reader = reader(&*store);
    assert_eq!(parts(reader.entries(0, 10).expect("entries")), expected);
    assert_eq!(reader.document(9), Ok(None));
    store.append(&[good]).expect("the good one alone");
    assert_eq!(reader.document(9), Ok(Some(b"nine".to_vec())));
}

pub(super) fn entries_must_follow_each_other(fixture: &dyn Fixture) {
    let mut store = fixture.open();
    fill(&mut *store, 2, 5);
    for first in [0, 5, 9, 11, u64::MAX] {
        let stray = Entry { first, ..entry(&*store, b"stray") };
        assert!(
            matches!(store.append(&[stray]), Err(StoreError::Misuse { .. })),
            "an entry at {first}, after 10"
        );
    }
    let hollow = Entry { events: 0, ..entry(&*store, b"hollow") };
    assert!(matches!(store.append(&[hollow]), Err(StoreError::Misuse { .. })), "an entry without events");
    assert_eq!(store.head().next, 10);
}

pub(super) fn time_does_not_run_backwards(fixture: &dyn Fixture) {
    let mut store = fixture.open();
    let at = |store: &dyn crate::Store, at| Entry { at, ..entry(store, b"x") };
    let first = at(&*store, 1000);
    store.append(&[first]).expect("the first");
    let earlier = at(&*store, 999);
    assert!(matches!(store.append(&[earlier]), Err(StoreError::Misuse { .. })));
    let same = at(&*store, 1000);
    store.append(&[same]).expect("the same time");
    assert_eq!(store.head().at, 1000);
}

pub(super) fn numbers_up_to_the_limit_are_kept(fixture: &dyn Fixture) {
    let mut store = fixture.open();
    let limit = i64::MAX as u64;
    let wide =
        Entry { events: u32::MAX, at: limit, documents: &[(i64::MAX as u64, b"d")], ..entry(&*store, b"x") };
    let later = Entry { at: limit + 1, ..wide };
    assert!(matches!(store.append(&[later]), Err(StoreError::Misuse { .. })), "one past the limit");
    store.append(&[wide]).expect("at the limit");
    let found = reader(&*store).entries(u64::from(u32::MAX) - 1, 10).expect("entries");
    assert_eq!((found[0].first, found[0].events, found[0].at), (0, u32::MAX, limit));
    assert_eq!(reader(&*store).document(limit), Ok(Some(b"d".to_vec())));
}

pub(super) fn an_empty_group_is_nothing(fixture: &dyn Fixture) {
    let mut store = fixture.open();
    fill(&mut *store, 1, 1);
    let before = store.head();
    store.append(&[]).expect("nothing to do");
    assert_eq!(store.head(), before);
}

pub(super) fn everything_survives_a_restart(fixture: &dyn Fixture) {
    let mut store = fixture.open();
    let mut expected = fill(&mut *store, 50, 3);
    let head = store.head();
    drop(store);
    let mut store = fixture.open();
    assert_eq!(store.head(), head);
    expected.extend(fill(&mut *store, 7, 1));
    drop(store);
    let store = fixture.open();
    assert_eq!(parts(reader(&*store).entries(0, 100).expect("entries")), expected);
}

pub(super) fn readers_see_what_is_durable(fixture: &dyn Fixture) {
    let mut store = fixture.open();
    let early = reader(&*store);
    fill(&mut *store, 2, 1);
    assert_eq!(early.head(), Ok(store.head()));
    assert_eq!(early.another().and_then(|another| another.head()), Ok(store.head()));
    let elsewhere = std::thread::spawn(move || early.entries(0, 10).map(|found| found.len()));
    assert_eq!(elsewhere.join().expect("a reader on another thread"), Ok(2));
}

pub(super) fn any_bytes_are_kept(fixture: &dyn Fixture) {
    let mut store = fixture.open();
    let all: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    let bodies: [&[u8]; 4] = [b"", b"\0", &all, &body(7)];
    for body in bodies {
        let entry = Entry { first: store.head().next, events: 1, body, ..Entry::default() };
        store.append(&[entry]).expect("any bytes");
    }
    let found = reader(&*store).entries(0, 10).expect("entries");
    assert!(found.iter().map(|entry| &entry.body[..]).eq(bodies));
}
