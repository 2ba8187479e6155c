//! Random lives of a store against a model that is a few maps.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use tidegate_store::{Entry, Options, PastQuery, PastRow, Receipt, Snapshot, SqliteStore, Store};

#[derive(Clone, Debug)]
struct Step {
    events: u32,
    later: u64,
    body: Vec<u8>,
    documents: Vec<(u64, Vec<u8>)>,
    past: Vec<(u64, String, Vec<u8>)>,
    receipt: Option<(String, u16)>,
}

#[derive(Clone, Debug)]
enum Act {
    Append(Vec<Step>),
    Meta(String, Vec<u8>),
    Snapshot(Vec<u8>),
    Sweep(u64),
    Archive,
    Reopen,
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..200)
}

fn step() -> impl Strategy<Value = Step> {
    let past = (0..20_u64, "[a-c%_é\\x00]{0,3}", bytes());
    let receipt = proptest::option::of(("[a-d]{1,2}", any::<u16>()));
    let documents = vec((0..20_u64, bytes()), 0..3);
    (1..5_u32, 0..50_u64, bytes(), documents, vec(past, 0..3), receipt).prop_map(
        |(events, later, body, documents, past, receipt)| Step {
            events,
            later,
            body,
            documents,
            past,
            receipt,
        },
    )
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        8 => vec(step(), 1..6).prop_map(Act::Append),
        1 => ("[a-c]", bytes()).prop_map(|(key, value)| Act::Meta(key, value)),
        2 => vec(any::<u8>(), 0..2000).prop_map(Act::Snapshot),
        1 => (0..500_u64).prop_map(Act::Sweep),
        1 => Just(Act::Archive),
        1 => Just(Act::Reopen),
    ]
}

#[derive(Default)]
struct Model {
    next: u64,
    at: u64,
    base: u64,
    log: Vec<(u64, u32, u64, Vec<u8>)>,
    documents: BTreeMap<u64, Vec<u8>>,
    past: BTreeMap<u64, (String, Vec<u8>)>,
    receipts: BTreeMap<String, (u16, u64)>,
    meta: BTreeMap<String, Vec<u8>>,
    snapshots: BTreeMap<u64, Vec<u8>>,
}

impl Model {
    fn append(&mut self, store: &mut dyn Store, steps: &[Step]) {
        type Sides<'a> = (Vec<(u64, &'a [u8])>, Vec<PastRow<'a>>);
        let sides: Vec<Sides<'_>> = steps
            .iter()
            .map(|step| {
                let documents = step.documents.iter().map(|(id, body)| (*id, &body[..])).collect();
                let past = step.past.iter().map(|(id, name, body)| PastRow {
                    id: *id,
                    name,
                    body,
                    ..PastRow::default()
                });
                (documents, past.collect())
            })
            .collect();
        let mut group = Vec::new();
        for (step, (documents, past)) in steps.iter().zip(&sides) {
            self.at += step.later;
            let receipt = step.receipt.as_ref();
            group.push(Entry {
                first: self.next,
                events: step.events,
                at: self.at,
                body: &step.body,
                documents,
                past,
                receipt: receipt.map(|(key, status)| Receipt {
                    key,
                    request: b"r",
                    status: *status,
                    body: b"b",
                }),
            });
            self.log.push((self.next, step.events, self.at, step.body.clone()));
            self.next += u64::from(step.events);
            self.documents.extend(step.documents.iter().cloned());
            self.past.extend(step.past.iter().map(|(id, name, body)| (*id, (name.clone(), body.clone()))));
            self.receipts.extend(receipt.map(|(key, status)| (key.clone(), (*status, self.at))));
        }
        store.append(&group).unwrap();
    }

    fn compare(&self, store: &dyn Store) {
        let head = store.head();
        assert_eq!((head.base, head.next, head.at), (self.base, self.next, self.at));
        let reader = store.reader().unwrap();
        let found = reader.entries(self.base, usize::MAX).unwrap();
        let found = found.into_iter().map(|entry| (entry.first, entry.events, entry.at, entry.body));
        assert!(found.eq(self.log.iter().filter(|entry| entry.0 >= self.base).cloned()));
        assert!(reader.documents(0, 1000).unwrap().into_iter().eq(self.documents.clone()));
        let found = reader.past(&PastQuery::all(1000)).unwrap();
        assert!(found.into_iter().rev().map(|past| (past.id, (past.name, past.body))).eq(self.past.clone()));
        for name in ["", "a", "%", "_", "b\0"] {
            let found =
                reader.past(&PastQuery { name_prefix: Some(name.into()), ..PastQuery::all(1000) }).unwrap();
            let expected = self.past.iter().rev().filter(|(_, past)| past.0.starts_with(name));
            assert!(
                found.iter().map(|past| &past.id).eq(expected.map(|(id, _)| id)),
                "names that begin with {name:?}"
            );
        }
        for key in self.receipts.keys().map(String::as_str).chain(["a", "dd"]) {
            let found = reader.receipt(key).unwrap().map(|receipt| (receipt.status, receipt.at));
            assert_eq!(found, self.receipts.get(key).copied());
        }
        for key in ["a", "b", "c"] {
            assert_eq!(reader.meta(key).unwrap().as_ref(), self.meta.get(key));
        }
        let found = reader.newest_snapshot().unwrap().map(|found| (found.next, found.body));
        assert_eq!(found, self.snapshots.clone().into_iter().next_back());
        assert_eq!(reader.verify(&mut |_| {}).unwrap().damage, []);
    }
}

fn live(acts: &[Act]) {
    let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let data = dir.path().join("data");
    let open = || SqliteStore::open(&data, Options::default()).unwrap();
    let (mut store, mut model) = (Some(open()), Model::default());
    for (number, act) in acts.iter().enumerate() {
        let current = store.as_mut().unwrap();
        match act {
            Act::Append(steps) => model.append(current, steps),
            Act::Meta(key, value) => {
                current.set_meta(key, value).unwrap();
                model.meta.insert(key.clone(), value.clone());
            }
            Act::Snapshot(body) => {
                current
                    .keeper()
                    .unwrap()
                    .save_snapshot(Snapshot { next: model.next, format: 1, body })
                    .unwrap();
                model.snapshots.insert(model.next, body.clone());
            }
            Act::Sweep(before) => {
                let swept = current.keeper().unwrap().sweep(*before).unwrap();
                let all = model.receipts.len();
                model.receipts.retain(|_, (_, at)| *at >= *before);
                assert_eq!(swept as usize, all - model.receipts.len());
            }
            Act::Archive => {
                let file = dir.path().join(format!("archive-{number}"));
                let archived = current.keeper().unwrap().archive(u64::MAX, &file).unwrap();
                let older = model.snapshots.keys().rev().nth(1).copied();
                model.base = older.unwrap_or(model.base).max(model.base);
                assert_eq!(archived.next, model.base);
            }
            Act::Reopen => {
                drop(store.take());
                store = Some(open());
            }
        }
    }
    model.compare(store.as_ref().unwrap());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_store_is_a_few_maps(acts in vec(act(), 0..40)) {
        live(&acts);
    }
}
