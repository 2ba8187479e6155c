//! What keeps a server from starting is said; what need not keep it does not.

use super::house::House;
use super::work;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tidegate_server::config::{Config, ExecutorKind};
use tidegate_server::serve::{Ground, ServeError, Server};
use tidegate_store::{Options, SqliteStore, Store};

/// Names the data directory to a process that is started with fewer rights.
const READ_ONLY: &str = "TIDEGATE_READ_ONLY_DATA";

fn config() -> Config {
    let listen = "127.0.0.1:0".parse().expect("an address");
    Config { listen, executor: ExecutorKind::Virtual, virtual_gpus: Some("1x8".into()), ..Config::default() }
}

fn open(config: &Config, data: &Path) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(Server::open(config, data)).map(drop)
}

#[test]
fn a_second_server_on_the_same_directory_is_refused() {
    let house = House::new("1x8");
    let error = house.try_open().map(drop).expect_err("it is in use").to_string();
    assert!(error.contains(&format!("in use by process {}", std::process::id())), "{error}");
    assert_eq!(house.post("/api/v1/workloads", &work("a")).0, 201, "the first goes on");
}

#[test]
fn a_directory_that_may_not_be_written_is_told() {
    if let Some(data) = std::env::var_os(READ_ONLY) {
        let error = open(&config(), Path::new(&data)).expect_err("it cannot").to_string();
        assert!(error.contains("read-only") || error.contains("ermission denied"), "{error}");
        assert!(error.contains("owner and mode") || error.contains("hint"), "{error}");
        return;
    }
    let home = tempfile::tempdir().expect("a directory");
    let mode = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).expect("ours");
    let mut house = House::new("1x8");
    assert_eq!(house.post("/api/v1/workloads", &work("a")).0, 201);
    house.close();
    let empty = home.path().join("empty");
    fs::create_dir(&empty).expect("a directory");
    let program = home.path().join("program");
    fs::copy(std::env::current_exe().expect("this program"), &program).expect("a copy");
    mode(&program, 0o755);
    mode(home.path(), 0o755);
    for data in [house.data(), &empty] {
        fs::read_dir(data).expect("there").for_each(|file| mode(&file.expect("a file").path(), 0o444));
        mode(data, 0o555);
        let mut child = Command::new(&program);
        child.args(["--exact", "starts::a_directory_that_may_not_be_written_is_told"]).env(READ_ONLY, data);
        // For the administrator nothing is read-only.
        if fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0) {
            child.uid(65534).gid(65534);
        }
        assert!(child.status().expect("a child").success(), "{}", data.display());
        mode(data, 0o755);
    }
}

#[test]
fn a_directory_below_a_file_is_told() {
    let home = tempfile::tempdir().expect("a directory");
    let file = home.path().join("file");
    fs::write(&file, "x").expect("a file");
    let error = open(&config(), &file.join("data")).expect_err("it cannot").to_string();
    assert!(error.contains("data directory") && error.contains("--data"), "{error}");
}

#[test]
fn an_address_in_use_is_told() {
    let house = House::new("1x8");
    let listen = house.address().parse().expect("an address");
    let home = tempfile::tempdir().expect("a directory");
    let error = open(&Config { listen, ..config() }, home.path()).expect_err("it is in use").to_string();
    assert!(error.contains("--listen"), "{error}");
}

/// The machine's clock of the test below: 2030, and after the restart a day before.
static CLOCK: AtomicU64 = AtomicU64::new(1_893_456_000_000);

#[test]
fn time_goes_on_when_the_clock_was_set_back_between_two_starts() {
    let ground = || {
        let clock = Arc::new(AtomicU64::new(CLOCK.load(Ordering::Relaxed)));
        Ground { clock: Some(clock), ..Ground::default() }
    };
    let mut house = House::on("1x8", |_| (), ground);
    assert_eq!(house.post("/api/v1/workloads", &work("a")).0, 201);
    house.close();
    CLOCK.fetch_sub(24 * 3_600_000, Ordering::Relaxed);
    house.open();
    assert_eq!(house.post("/api/v1/workloads", &work("b")).0, 201);
    for name in ["a", "b"] {
        let created = house.get(&format!("/api/v1/workloads/{name}")).1["metadata"]["createdAt"].clone();
        assert_eq!(created, "2030-01-01T00:00:00Z", "{name}");
    }
    house.restart();
    let b = house.get("/api/v1/workloads/b").1;
    assert_eq!(b["status"]["state"], "running", "{b}");
}

#[test]
fn an_entry_of_a_later_release_is_refused_and_nothing_is_touched() {
    let mut house = House::new("1x8");
    assert_eq!(house.post("/api/v1/workloads", &work("a")).0, 201);
    house.close();
    let mut store = SqliteStore::open(house.data(), Options::default()).expect("the store");
    let head = store.head();
    let body = br#"{"v":4,"by":"admin","operation":"gift","events":[{"Unheard":{}}]}"#;
    let entry =
        tidegate_store::Entry { first: head.next, events: 1, at: head.at, body, ..Default::default() };
    store.append(&[entry]).expect("the store knows bytes only");
    let head = store.head();
    drop(store);
    let error = house.try_open().map(drop).expect_err("it cannot be read").to_string();
    assert!(error.contains("version 4") && error.contains("versions up to 3"), "{error}");
    assert!(error.contains(&format!("event {}", head.next - 1)) && error.contains("hint"), "{error}");
    let store = SqliteStore::open(house.data(), Options::default()).expect("the directory was given back");
    assert_eq!(store.head(), head);
}
