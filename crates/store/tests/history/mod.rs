//! A varied life of a store, made from a seed, and what each part of it left behind.

#![allow(dead_code, reason = "each test uses its part")]

use std::collections::BTreeMap;

use tidegate_store::{Entry, PastQuery, PastRow, Reader, Receipt, Snapshot, Store, StoreError};

/// Xorshift: the same numbers on every machine.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }

    fn bytes(&mut self, longest: u64) -> Vec<u8> {
        let length = self.below(longest);
        (0..length).map(|_| self.below(256) as u8).collect()
    }
}

/// Everything that group number `index` says follows from `index`, so that a process that was killed can be judged by
/// the number of its groups alone.
pub(crate) struct Group {
    entries: Vec<(u64, u32, u64, Vec<u8>)>,
    documents: Vec<(u64, Vec<u8>)>,
    past: (u64, String, Vec<u8>),
    key: String,
    pub(crate) end: u64,
}

impl Group {
    pub(crate) fn new(index: u64, first: u64) -> Group {
        let mut random = Random::new(index + 100);
        let mut next = first;
        let mut entries = Vec::new();
        for _ in 0..=random.below(4) {
            let events = 1 + random.below(3) as u32;
            // Some are longer than a page of the database.
            let longest = if random.below(8) == 0 { 9000 } else { 300 };
            entries.push((next, events, 1000 + index, random.bytes(longest)));
            next += u64::from(events);
        }
        let documents = (0..random.below(3)).map(|_| (random.below(60), random.bytes(400))).collect();
        let past = (random.below(50), format!("name-{}", random.below(9)), random.bytes(200));
        Group { entries, documents, past, key: format!("key-{}", random.below(40)), end: next }
    }

    pub(crate) fn append(&self, store: &mut dyn Store) -> Result<(), StoreError> {
        let documents: Vec<(u64, &[u8])> = self.documents.iter().map(|(id, body)| (*id, &body[..])).collect();
        let (id, name, body) = &self.past;
        let past = [PastRow { id: *id, name, quota: "q", body, ..PastRow::default() }];
        let receipt = Receipt { key: &self.key, request: b"request", status: 200, body: b"answer" };
        let mut entries: Vec<Entry<'_>> = self
            .entries
            .iter()
            .map(|(first, events, at, body)| Entry {
                first: *first,
                events: *events,
                at: *at,
                body,
                ..Entry::default()
            })
            .collect();
        let last = entries.last_mut().expect("a group has entries");
        (last.documents, last.past, last.receipt) = (&documents, &past, Some(receipt));
        store.append(&entries)
    }
}

/// What was written.
#[derive(Default)]
pub(crate) struct History {
    /// Bodies by first event.
    pub(crate) bodies: BTreeMap<u64, Vec<u8>>,
    /// All that were ever put under an id.
    pub(crate) documents: BTreeMap<u64, Vec<Vec<u8>>>,
    pub(crate) snapshots: BTreeMap<u64, Vec<u8>>,
    /// Where each group ends.
    pub(crate) ends: Vec<u64>,
    groups: Vec<Group>,
}

impl History {
    /// Appends so many groups, with a snapshot now and then.
    pub(crate) fn write(&mut self, store: &mut dyn Store, groups: usize) {
        for _ in 0..groups {
            let index = self.ends.len() as u64;
            let group = Group::new(index, store.head().next);
            group.append(store).expect("a group that continues the log");
            self.note(group);
            if index % 10 == 9 {
                let next = store.head().next;
                let body = vec![index as u8; 5000];
                store.keeper().unwrap().save_snapshot(Snapshot { next, format: 1, body: &body }).unwrap();
                self.snapshots.insert(next, body);
            }
        }
    }

    pub(crate) fn note(&mut self, group: Group) {
        self.bodies.extend(group.entries.iter().map(|(first, _, _, body)| (*first, body.clone())));
        for (id, body) in &group.documents {
            self.documents.entry(*id).or_default().push(body.clone());
        }
        self.ends.push(group.end);
        self.groups.push(group);
    }

    /// The history of a store that was written group by group from the beginning, as far as it came.
    pub(crate) fn up_to(end: u64) -> History {
        let mut history = History::default();
        let mut next = 0;
        while next < end {
            let group = Group::new(history.ends.len() as u64, next);
            next = group.end;
            history.note(group);
        }
        history
    }

    /// How many groups the store holds: an error says what is not as it was after just that many.
    pub(crate) fn groups_in(&self, reader: &dyn Reader) -> Result<usize, String> {
        let told = |error: StoreError| error.to_string();
        let head = reader.head().map_err(told)?;
        let groups = match self.ends.iter().position(|end| *end == head.next) {
            Some(index) => index + 1,
            None if head.next == 0 => 0,
            None => return Err(format!("the log ends inside a group, at {}", head.next)),
        };
        let (mut documents, mut past, mut keys) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for (index, group) in self.groups[..groups].iter().enumerate() {
            documents.extend(group.documents.iter().map(|(id, body)| (*id, body.clone())));
            past.insert(group.past.0, (group.past.1.clone(), group.past.2.clone()));
            keys.insert(group.key.clone(), 1000 + index as u64);
        }
        if reader.documents(0, 1000).map_err(told)? != documents.into_iter().collect::<Vec<_>>() {
            return Err("documents".into());
        }
        let found = reader.past(&PastQuery::all(1000)).map_err(told)?;
        let found: BTreeMap<_, _> = found.into_iter().map(|past| (past.id, (past.name, past.body))).collect();
        if found != past {
            return Err("past workloads".into());
        }
        for (key, at) in keys {
            if reader.receipt(&key).map_err(told)?.map(|receipt| receipt.at) != Some(at) {
                return Err(format!("the receipt {key}"));
            }
        }
        let entries = reader.entries(head.base, usize::MAX).map_err(told)?;
        let expected = self.bodies.range(head.base..head.next);
        if !entries.iter().map(|entry| (&entry.first, &entry.body)).eq(expected) {
            return Err("entries".into());
        }
        Ok(groups)
    }
}
