//! Backups of a running store, what is made of them, and files that are checked on their own.

#![allow(clippy::unwrap_used, reason = "a test")]

mod history;

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use history::{Group, History};
use tidegate_store::{DATABASE_FILE, Options, SqliteStore, Store, StoreError, restore, verify};

fn open(dir: &Path) -> SqliteStore {
    SqliteStore::open(dir, Options::default()).unwrap()
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_backup_while_appending_is_one_instant_and_can_be_restored() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(&dir.path().join("data"));
    let mut history = History::default();
    history.write(&mut store, 30);
    let (least, reader, file) = (history.ends.len(), store.reader().unwrap(), dir.path().join("backup"));
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (file, done) = (&file, &done);
        scope.spawn(move || {
            let mut parts = Vec::new();
            let verified = reader.backup(file, &mut |progress| parts.push(progress.part));
            done.store(true, Ordering::Relaxed);
            assert_eq!(verified.map(|verified| verified.damage), Ok(vec![]));
            assert!(parts.contains(&"copy") && parts.contains(&"log"), "{parts:?}");
        });
        while !done.load(Ordering::Relaxed) {
            let group = Group::new(history.ends.len() as u64, store.head().next);
            group.append(&mut store).unwrap();
            history.note(group);
        }
    });
    assert!(history.ends.len() > least, "nothing was appended meanwhile");
    drop(store);
    assert_eq!(names(dir.path()), ["backup", "data"]);

    let restored = dir.path().join("restored");
    assert_eq!(restore(&file, &restored, &mut |_| {}).unwrap().damage, []);
    let mut store = open(&restored);
    let groups = history.groups_in(&*store.reader().unwrap()).unwrap();
    assert!((least..=history.ends.len()).contains(&groups), "{groups}");
    // It goes on from there.
    let next = History::up_to(store.head().next).ends.len() as u64;
    Group::new(next, store.head().next).append(&mut store).unwrap();
    assert_eq!(store.reader().unwrap().verify(&mut |_| {}).unwrap().damage, []);
    drop(store);
    assert_eq!(names(&restored), ["lock", DATABASE_FILE]);
}

#[test]
fn a_backup_overwrites_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(&dir.path().join("data"));
    let file = dir.path().join("precious");
    fs::write(&file, "precious").unwrap();
    let refused = store.reader().unwrap().backup(&file, &mut |_| {});
    assert_eq!(refused, Err(StoreError::Exists { path: file.clone() }));
    assert_eq!(fs::read(&file).unwrap(), b"precious");
    let nowhere = store.reader().unwrap().backup(&dir.path().join("no/such/folder"), &mut |_| {});
    assert_eq!(nowhere.unwrap_err().code(), "storage-io");
}

#[test]
fn restore_refuses_what_it_would_spoil_and_what_is_spoilt() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(&dir.path().join("data"));
    History::default().write(&mut store, 30);
    let file = dir.path().join("backup");
    store.reader().unwrap().backup(&file, &mut |_| {}).unwrap();

    let full = dir.path().join("full");
    fs::create_dir(&full).unwrap();
    fs::write(full.join("something"), "").unwrap();
    assert_eq!(restore(&file, &full, &mut |_| {}), Err(StoreError::NotEmpty { dir: full.clone() }));
    assert_eq!(names(&full), ["something"]);
    let live = dir.path().join("data");
    assert_eq!(restore(&file, &live, &mut |_| {}), Err(StoreError::NotEmpty { dir: live }));

    let target = dir.path().join("target");
    let code = |file: &Path| restore(file, &target, &mut |_| {}).unwrap_err().code();
    let bytes = fs::read(&file).unwrap();
    let damaged = dir.path().join("damaged");
    for (from, to) in [(bytes.len() / 2, bytes.len() / 2 + 4096), (bytes.len() - 4096, bytes.len())] {
        let mut copy = bytes.clone();
        copy[from..to].fill(0xAA);
        fs::write(&damaged, copy).unwrap();
        assert_eq!(code(&damaged), "storage-corrupt");
    }
    fs::write(&damaged, &bytes[..bytes.len() / 2]).unwrap();
    assert_eq!(code(&damaged), "storage-corrupt");
    assert_eq!(code(&dir.path().join("absent")), "storage-io");
    rusqlite::Connection::open(&file).unwrap().pragma_update(None, "user_version", 9).unwrap();
    assert_eq!(code(&file), "storage-too-new");
    assert!(!target.exists(), "nothing was made of any of them");
}

#[test]
fn a_restore_that_did_not_finish_is_not_taken_for_an_empty_store() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("tidegate.db.restoring"), "half").unwrap();
    let opened = SqliteStore::open(dir.path(), Options::default()).map(drop);
    assert!(opened.unwrap_err().to_string().contains("did not finish"));
}

#[test]
fn an_archive_is_verified_by_the_same_chain_and_is_no_store() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let mut store = open(&data);
    let mut history = History::default();
    history.write(&mut store, 40);
    let whole = store.reader().unwrap().entries(0, usize::MAX).unwrap();
    let file = dir.path().join("archive");
    let archived = store.keeper().unwrap().archive(u64::MAX, &file).unwrap();
    assert!(archived.entries > 20);
    let last = &whole[archived.entries as usize - 1];
    assert_eq!((archived.next, archived.hash), (last.next(), last.hash));

    let verified = verify(&file, &mut |_| {}).unwrap().sound().unwrap();
    assert_eq!((verified.base, verified.next, verified.entries), (0, archived.next, archived.entries));
    assert_eq!(restore(&file, &dir.path().join("x"), &mut |_| {}).unwrap_err().code(), "storage-not-ours");

    let found = rusqlite::Connection::open(&file).unwrap();
    found.execute("UPDATE log SET body = CAST('changed' AS BLOB) WHERE first = 0", []).unwrap();
    drop(found);
    let damage = verify(&file, &mut |_| {}).unwrap().damage;
    assert!(damage[0].to_string().contains("the entry at event 0"), "{damage:?}");
}

#[test]
fn verify_names_each_damaged_part() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let mut history = History::default();
    history.write(&mut store, 30);
    drop(store);
    let connection = rusqlite::Connection::open(dir.path().join(DATABASE_FILE)).unwrap();
    let middle = history.ends[15];
    connection.execute("DELETE FROM log WHERE first = ?1", [middle as i64]).unwrap();
    connection
        .execute("UPDATE documents SET body = x'00' WHERE id = (SELECT max(id) FROM documents)", [])
        .unwrap();
    connection.execute("UPDATE past SET quota = 'other' WHERE id = (SELECT min(id) FROM past)", []).unwrap();
    connection.execute("DELETE FROM receipts WHERE number = (SELECT max(number) FROM receipts)", []).unwrap();
    drop(connection);
    let verified = verify(dir.path(), &mut |_| {}).unwrap();
    assert!(verified.next <= middle, "the log is whole up to {}", verified.next);
    let damage: Vec<String> = verified.damage.iter().map(StoreError::what).collect();
    let expected = [
        &format!("the entry with event {middle} is missing"),
        "document ",
        "past workload ",
        "receipts has ",
    ];
    assert_eq!(damage.len(), expected.len(), "{damage:#?}");
    for (damage, expected) in damage.iter().zip(expected) {
        assert!(damage.contains(expected), "{damage}, expected {expected}");
    }
}
