//! Cases about what lies beside the log.

use super::Fixture;
use super::sample::{entry, reader};
use crate::entry::{Entry, Receipt};
use crate::past::{PastQuery, PastRow, Privacy};
use crate::store::Store;

pub(super) fn documents_are_found_by_id_and_in_pages(fixture: &dyn Fixture) {
    let mut store = fixture.open();
    let documents: &[(u64, &[u8])] = &[(3, b"three"), (1, b"one"), (7, b"")];
    let entry = Entry { documents, ..entry(&*store, b"x") };
    store.append(&[entry]).expect("documents");
    let reader = reader(&*store);
    assert_eq!(reader.document(3), Ok(Some(b"three".to_vec())));
    assert_eq!(reader.document(7), Ok(Some(vec![])));
    assert_eq!(reader.document(2), Ok(None));
    assert_eq!(reader.document(u64::MAX), Ok(None));
    let ids = |from, limit| -> Vec<u64> {
        reader.documents(from, limit).expect("a page").into_iter().map(|(id, _)| id).collect()
    };
    assert_eq!(ids(0, 2), [1, 3]);
    assert_eq!(ids(4, 2), [7]);
    assert_eq!(ids(8, 2), []);
}

pub(super) fn a_document_can_be_overwritten(fixture: &dyn Fixture) {
    let mut store = fixture.open();
    for body in [&b"old"[..], b"new"] {
        let entry = Entry { documents: &[(5, body)], ..entry(&*store, b"x") };
        store.append(&[entry]).expect("a document");
    }
    assert_eq!(reader(&*store).documents(0, 10), Ok(vec![(5, b"new".to_vec())]));
}

const PAST: PastRow<'static> = PastRow {
    id: 0,
    name: "train",
    workspace: "default",
    quota: "research",
    module: "training",
    state: "finished",
    labels: &[("team", "vision")],
    private_of: None,
    ended_at: 5,
    body: b"{}",
};

/// Six of them, in an order that is not that of their ids.
fn six_past(store: &mut dyn Store) {
    let rows = [
        PastRow { id: 4, name: "train-2", labels: &[("team", "vision"), ("stage", "eval")], ..PAST },
        PastRow { id: 1, body: b"oldest", ..PAST },
        PastRow { id: 6, quota: "serving", module: "inference", name: "chat", ..PAST },
        PastRow { id: 2, state: "failed", private_of: Some(7), ..PAST },
        PastRow { id: 5, workspace: "other", name: "Train", labels: &[], ..PAST },
        PastRow { id: 3, body: b"newest", ended_at: 8, private_of: Some(0), ..PAST },
    ];
    let entry = Entry { past: &rows, ..entry(&*store, b"x") };
    store.append(&[entry]).expect("past workloads");
}

pub(super) fn past_is_found_by_id_name_and_filter(fixture: &dyn Fixture) {
    let mut store = fixture.open();
    six_past(&mut *store);
    let reader = reader(&*store);
    let ids = |query: PastQuery| -> Vec<u64> {
        reader.past(&query).expect("a page").into_iter().map(|past| past.id).collect()
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(ids(PastQuery::id(2)), [2]);
    assert_eq!(ids(PastQuery::id(9)), []);
    assert_eq!(ids(PastQuery::id(u64::MAX)), []);
    assert_eq!(ids(PastQuery::name("train")), [3], "the newest of that name");
    assert_eq!(ids(PastQuery { limit: 10, ..PastQuery::name("train") }), [3, 2, 1]);
    let all = PastQuery::all(10);
    assert_eq!(ids(all.clone()), [6, 5, 4, 3, 2, 1]);
    assert_eq!(ids(PastQuery { name_prefix: some("train"), ..all.clone() }), [4, 3, 2, 1]);
    assert_eq!(ids(PastQuery { name_prefix: some("train-"), ..all.clone() }), [4]);
    assert_eq!(ids(PastQuery { name_prefix: some("%"), ..all.clone() }), []);
    assert_eq!(ids(PastQuery { workspace: some("other"), ..all.clone() }), [5]);
    assert_eq!(ids(PastQuery { quota: some("serving"), ..all.clone() }), [6]);
    assert_eq!(ids(PastQuery { module: some("training"), ..all.clone() }), [5, 4, 3, 2, 1]);
    assert_eq!(ids(PastQuery { state: some("failed"), ..all.clone() }), [2]);
    let default = PastQuery { workspace: some("default"), ..all.clone() };
    for (privacy, found) in [
        (Privacy::Any, &[6, 4, 3, 2, 1][..]),
        (Privacy::Public, &[6, 4, 1]),
        (Privacy::Private, &[3, 2]),
        (Privacy::PrivateOf(7), &[2]),
        (Privacy::PrivateOf(1), &[]),
    ] {
        assert_eq!(ids(PastQuery { privacy, ..default.clone() }), found, "{privacy:?}");
    }
    assert_eq!(ids(PastQuery { privacy: Privacy::Private, ..all.clone() }), [3, 2]);
    let label = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    assert_eq!(ids(PastQuery { labels: vec![label("team", "vision")], ..all.clone() }), [6, 4, 3, 2, 1]);
    let both = vec![label("stage", "eval"), label("team", "vision")];
    assert_eq!(ids(PastQuery { labels: both, ..all.clone() }), [4]);
    assert_eq!(ids(PastQuery { labels: vec![label("team", "visio")], ..all.clone() }), []);
    let several = PastQuery { state: some("finished"), name: some("train"), quota: some("research"), ..all };
    assert_eq!(ids(several), [3, 1]);
    let whole = reader.past(&PastQuery::id(3)).expect("one").remove(0);
    assert_eq!((&whole.body[..], whole.ended_at, &whole.name[..]), (&b"newest"[..], 8, "train"));
}

pub(super) fn past_is_paged_newest_first(fixture: &dyn Fixture) {
    let mut store = fixture.open();
    six_past(&mut *store);
    let reader = reader(&*store);
    let (mut below, mut pages) = (None, Vec::new());
    loop {
        let page = reader.past(&PastQuery { below, ..PastQuery::all(4) }).expect("a page");
        let Some(last) = page.last() else { break };
        below = Some(last.id);
        pages.push(page.iter().map(|past| past.id).collect::<Vec<_>>());
    }
    assert_eq!(pages, [vec![6, 5, 4, 3], vec![2, 1]]);
}

pub(super) fn a_receipt_is_kept_and_overwritten(fixture: &dyn Fixture) {
    let mut store = fixture.open();
    for (status, at) in [(503, 10), (201, 20)] {
        let receipt = Receipt { key: "key", request: b"hash", status, body: b"{}" };
        let entry = Entry { at, receipt: Some(receipt), ..entry(&*store, b"x") };
        store.append(&[entry]).expect("a receipt");
    }
    let found = reader(&*store).receipt("key").expect("readable").expect("there");
    assert_eq!(
        (found.status, found.at, &found.request[..], &found.body[..]),
        (201, 20, &b"hash"[..], &b"{}"[..])
    );
    assert_eq!(reader(&*store).receipt("KEY"), Ok(None));
}

pub(super) fn meta_is_kept_and_overwritten(fixture: &dyn Fixture) {
    let mut store = fixture.open();
    store.set_meta("cluster", b"a").expect("set");
    store.set_meta("cluster", b"b").expect("overwritten");
    store.set_meta("other", b"").expect("empty");
    drop(store);
    let reader = reader(&*fixture.open());
    assert_eq!(reader.meta("cluster"), Ok(Some(b"b".to_vec())));
    assert_eq!(reader.meta("other"), Ok(Some(vec![])));
    assert_eq!(reader.meta("absent"), Ok(None));
}
