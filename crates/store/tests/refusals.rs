//! What keeps a store from being opened or written: each is told apart, and nothing is harmed.

#![allow(clippy::unwrap_used, reason = "a test")]

mod history;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use history::{Group, History};
use tidegate_store::{DATABASE_FILE, Options, SqliteStore, Store, StoreError, open_read_only};

/// Names the data directory to a process that is started with fewer rights.
const CHILD: &str = "TIDEGATE_STORE_REFUSED_DIR";

fn open(dir: &Path) -> Result<SqliteStore, StoreError> {
    SqliteStore::open(dir, Options::default())
}

/// Every file with its content.
fn contents(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.into_iter().map(|path| (path.clone(), fs::read(&path).unwrap())).collect()
}

fn append_until_refused(store: &mut SqliteStore) -> (History, StoreError) {
    let mut history = History::default();
    loop {
        let group = Group::new(history.ends.len() as u64, store.head().next);
        match group.append(store) {
            Ok(()) => history.note(group),
            Err(error) => return (history, error),
        }
    }
}

#[test]
fn a_second_store_on_the_same_directory_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let first = open(dir.path()).unwrap();
    let locked = StoreError::Locked { dir: dir.path().to_path_buf(), pid: Some(std::process::id()) };
    assert_eq!(open(dir.path()).map(drop), Err(locked.clone()));
    assert!(locked.to_string().contains(&std::process::id().to_string()), "{locked}");
    assert!(open_read_only(dir.path()).is_ok(), "reading needs no lock");
    drop(first);
    open(dir.path()).unwrap();
}

#[test]
fn a_full_database_takes_nothing_and_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let options = Options { max_bytes: Some(600_000) };
    let mut store = SqliteStore::open(dir.path(), options).unwrap();
    let (history, error) = append_until_refused(&mut store);
    assert_eq!(error, StoreError::Full { path: dir.path().join(DATABASE_FILE) });
    assert!(history.ends.len() > 20, "{} groups", history.ends.len());
    let reader = store.reader().unwrap();
    assert_eq!(history.groups_in(&*reader), Ok(history.ends.len()));
    assert_eq!(reader.verify(&mut |_| {}).unwrap().damage, []);
    drop((reader, store));
    // With room again it goes on.
    let mut store = open(dir.path()).unwrap();
    let mut history = history;
    history.write(&mut store, 5);
    assert_eq!(history.groups_in(&*store.reader().unwrap()), Ok(history.ends.len()));
}

/// A disk that refuses to write beyond some length, by the limit of a process on the size of its files.
#[test]
fn a_write_that_fails_half_way_is_undone() {
    if let Some(dir) = std::env::var_os(CHILD) {
        let mut store = open(Path::new(&dir)).unwrap();
        let (history, error) = append_until_refused(&mut store);
        assert_eq!(error.code(), "storage-io", "{error}");
        assert_eq!(history.groups_in(&*store.reader().unwrap()), Ok(history.ends.len()));
        let again = Group::new(history.ends.len() as u64, store.head().next).append(&mut store);
        assert_eq!(again.unwrap_err().code(), "storage-io", "it stays refused, and stays in one piece");
        fs::write(Path::new(&dir).join("groups"), history.ends.len().to_string()).unwrap();
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let status = Command::new("sh")
        // 512 blocks of 512 or 1024 bytes. Ignored, the signal becomes an error of the write.
        .args(["-c", "trap '' XFSZ; ulimit -f 512; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "a_write_that_fails_half_way_is_undone"])
        .env(CHILD, dir.path())
        .status()
        .unwrap();
    assert!(status.success());
    let groups: usize = fs::read_to_string(dir.path().join("groups")).unwrap().parse().unwrap();
    let mut store = open(dir.path()).unwrap();
    let mut history = History::up_to(store.head().next);
    // The group that failed may have reached the disk whole: nobody was told that it had, nor that it had not.
    assert!((groups..=groups + 1).contains(&history.ends.len()), "{groups} were acknowledged");
    history.write(&mut store, 5);
    assert_eq!(store.reader().unwrap().verify(&mut |_| {}).unwrap().damage, []);
}

#[test]
fn a_directory_that_may_not_be_written_is_told() {
    if let Some(dir) = std::env::var_os(CHILD) {
        let error = open(Path::new(&dir)).map(drop).unwrap_err();
        assert_eq!(error.code(), "storage-read-only", "{error}");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let mut store = open(&data).unwrap();
    History::default().write(&mut store, 3);
    drop(store);
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    mode(dir.path(), 0o755);
    for (case, file_mode) in [("nothing there", 0), ("a database there", 0o444)] {
        let data = if file_mode == 0 { dir.path().join("empty") } else { data.clone() };
        fs::create_dir_all(&data).unwrap();
        for (path, _) in contents(&data) {
            mode(&path, file_mode);
        }
        mode(&data, 0o555);
        let before = contents(&data);
        as_nobody("a_directory_that_may_not_be_written_is_told", &data, dir.path(), case);
        assert_eq!(contents(&data), before, "{case}");
        mode(&data, 0o755);
    }
}

/// Runs a test of this file in a process that is not the administrator, for whom no file is read-only.
fn as_nobody(test: &str, data: &Path, copy_to: &Path, case: &str) {
    let administrator =
        fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    let program = copy_to.join("program");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new(&program);
    command.args(["--exact", test, "--nocapture"]).env(CHILD, data);
    if administrator {
        command.uid(65534).gid(65534);
    }
    assert!(command.status().unwrap().success(), "{case}");
}

#[test]
fn a_later_version_is_refused_and_not_touched() {
    let dir = tempfile::tempdir().unwrap();
    let live = dir.path().join("live");
    let mut store = open(&live).unwrap();
    History::default().write(&mut store, 3);
    let other = rusqlite::Connection::open(live.join(DATABASE_FILE)).unwrap();
    let known: u32 = other.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    other.pragma_update(None, "user_version", 99).unwrap();
    // As after a crash: the newer version stands in the write-ahead log.
    let crashed = dir.path().join("crashed");
    fs::create_dir(&crashed).unwrap();
    for file in [DATABASE_FILE, "tidegate.db-wal", "lock"] {
        fs::copy(live.join(file), crashed.join(file)).unwrap();
    }
    drop((other, store));
    for dir in [&crashed, &live] {
        let files = |dir: &Path| {
            let files = contents(dir).into_iter().filter(|(path, _)| path.file_name().unwrap() != "lock");
            // An index that is made anew whenever the file is opened.
            files.filter(|(path, _)| !path.ends_with("tidegate.db-shm")).collect::<Vec<_>>()
        };
        let before = files(dir);
        let expected = StoreError::TooNew { path: dir.join(DATABASE_FILE), found: 99, known };
        assert_eq!(open(dir).map(drop), Err(expected));
        assert!(files(dir) == before, "{} was touched", dir.display());
    }
}

#[test]
fn files_of_others_are_refused_and_not_touched() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(DATABASE_FILE);
    rusqlite::Connection::open(&path)
        .unwrap()
        .execute_batch("CREATE TABLE theirs (x); PRAGMA application_id = 7")
        .unwrap();
    let before = fs::read(&path).unwrap();
    assert_eq!(open(dir.path()).map(drop), Err(StoreError::NotOurs { path: path.clone(), found: 7 }));
    assert_eq!(fs::read(&path).unwrap(), before);
    fs::write(&path, "Dear diary, ".repeat(1000)).unwrap();
    assert_eq!(open(dir.path()).map(drop).unwrap_err().code(), "storage-corrupt");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_eq!(open(dir.path()).map(drop).unwrap_err().code(), "storage-io");
}

#[test]
fn a_file_in_place_of_the_directory_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    fs::write(&path, "x").unwrap();
    let error = open(&path).map(drop).unwrap_err();
    assert!(error.to_string().contains("not a directory"), "{error}");
}

#[test]
fn only_the_owner_can_read_the_data() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let mut store = open(&data).unwrap();
    History::default().write(&mut store, 3);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&data), 0o700);
    for file in [DATABASE_FILE, "tidegate.db-wal", "tidegate.db-shm"] {
        assert_eq!(mode(&data.join(file)), 0o600, "{file}");
    }
}
