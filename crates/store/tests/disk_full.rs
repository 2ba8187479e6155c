//! A disk that is really full, where this machine lets us make a small one.

#![allow(clippy::unwrap_used, reason = "a test")]

mod history;

use std::fs;
use std::path::Path;
use std::process::Command;

use history::{Group, History};
use tidegate_store::{DATABASE_FILE, Options, Snapshot, SqliteStore, Store, StoreError};

/// A small file system in a mount namespace of our own: `unshare` needs no rights where user namespaces are allowed,
/// and the kernel cleans up with the process.
#[test]
fn a_full_disk_is_told_and_harms_nothing() {
    if let Some(dir) = std::env::var_os("TIDEGATE_STORE_SMALL_DISK") {
        return on_a_small_disk(Path::new(&dir));
    }
    let dir = tempfile::tempdir().unwrap();
    let script = "mount -t tmpfs -o size=3m tmpfs \"$1\" || exit 77; TIDEGATE_STORE_SMALL_DISK=\"$1\" exec \"$0\" \
                  --exact a_full_disk_is_told_and_harms_nothing --nocapture";
    let status = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", script])
        .arg(std::env::current_exe().unwrap())
        .arg(dir.path())
        .status();
    match status.map(|status| status.code()) {
        Ok(Some(0)) => {}
        // Not allowed here: the bound on the size of the database and the limit on file sizes are tested elsewhere.
        Ok(Some(1 | 77)) | Err(_) if !fs::exists(dir.path().join("data")).unwrap() => {
            println!("no small disk here")
        }
        other => panic!("{other:?}"),
    }
}

fn on_a_small_disk(disk: &Path) {
    let data = disk.join("data");
    fs::write(disk.join("ballast"), vec![1; 600_000]).unwrap();
    let mut store = SqliteStore::open(&data, Options::default()).unwrap();
    let (mut history, full) = (History::default(), StoreError::Full { path: data.join(DATABASE_FILE) });
    let refused = loop {
        let group = Group::new(history.ends.len() as u64, store.head().next);
        match group.append(&mut store) {
            Ok(()) => history.note(group),
            Err(error) => break error,
        }
    };
    assert_eq!(refused, full);
    let reader = store.reader().unwrap();
    assert_eq!(history.groups_in(&*reader), Ok(history.ends.len()), "what is there stays readable");
    assert_eq!(store.set_meta("key", &[0; 200_000]), Err(full.clone()));
    let body = vec![0; 1 << 20];
    let next = store.head().next;
    assert_eq!(store.keeper().unwrap().save_snapshot(Snapshot { next, format: 0, body: &body }), Err(full));
    assert_eq!(reader.backup(&disk.join("backup"), &mut |_| {}).unwrap_err().code(), "storage-full");
    assert!(!disk.join("backup").exists() && !disk.join("backup.partial").exists());

    fs::remove_file(disk.join("ballast")).unwrap();
    history.write(&mut store, 5);
    assert_eq!(history.groups_in(&*reader), Ok(history.ends.len()), "with room again it goes on");
    drop((reader, store));
    let store = SqliteStore::open(&data, Options::default()).unwrap();
    let reader = store.reader().unwrap();
    assert_eq!(reader.verify(&mut |_| {}).unwrap().damage, []);
    assert_eq!(history.groups_in(&*reader), Ok(history.ends.len()));
}
