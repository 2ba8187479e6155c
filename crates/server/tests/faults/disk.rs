//! A disk that is really full while a server runs on it, where this machine lets us make a small one.

use super::house::{House, pause};
use super::work;
use serde_json::json;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tidegate_server::core::audit::audit;
use tidegate_server::serve::Ground;

/// Names the small disk to the process that lives with it.
const SMALL_DISK: &str = "TIDEGATE_SMALL_DISK";

/// A small file system in a mount namespace of our own: `unshare` needs no rights where user namespaces are allowed,
/// and the kernel cleans up with the process.
#[test]
fn a_full_disk_stops_changes_and_nothing_else() {
    if let Some(disk) = std::env::var_os(SMALL_DISK) {
        return on_a_small_disk(Path::new(&disk));
    }
    let disk = tempfile::tempdir().expect("a directory");
    let script = "mount -t tmpfs -o size=8m tmpfs \"$1\" || exit 77; TIDEGATE_SMALL_DISK=\"$1\" exec \"$0\" \
                  --exact disk::a_full_disk_stops_changes_and_nothing_else --nocapture";
    let status = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", script])
        .arg(std::env::current_exe().expect("this program"))
        .arg(disk.path())
        .status();
    match status.map(|status| status.code()) {
        Ok(Some(0)) => {}
        // Not allowed here: a store that says that it is full is tested elsewhere.
        Ok(Some(1 | 77)) | Err(_) if fs::read_dir(disk.path()).is_ok_and(|mut dir| dir.next().is_none()) => {
            println!("no small disk here")
        }
        other => panic!("{other:?}"),
    }
}

fn on_a_small_disk(disk: &Path) {
    let ballast = disk.join("ballast");
    let quick = || Ground { rest: Duration::from_millis(20), ..Ground::default() };
    let data = tempfile::tempdir_in(disk).expect("a directory");
    let mut house = House::at(data, "1x8", |config| config.snapshot_every = 200, quick);
    assert_eq!(house.post("/api/v1/workloads", &work("first")).0, 201);
    let mut stone = fs::File::create(&ballast).expect("a file");
    // As much as there is room for.
    while std::io::Write::write_all(&mut stone, &[1; 16 << 10]).is_ok() {}
    let batch = |n: u32| {
        let items: Vec<_> = (0..50)
            .map(|i| {
                let mut item = work(&format!("w-{n}-{i}").replacen("w-", "job-", 1));
                item["spec"]["env"] = json!({"PADDING": "x".repeat(2_000)});
                item
            })
            .collect();
        json!({"items": items})
    };
    let mut taken = 0;
    let (problem, after) = loop {
        let (status, answer, after) = house.post_patiently("/api/v1/workloads:batch", &batch(taken));
        if status == 503 {
            break (answer, after);
        }
        assert!(status < 300, "{status}: {answer}");
        taken += 1;
    };
    assert_eq!(problem["code"], "storage-full", "{problem}");
    assert!(after.is_some());
    let known = |n: u32| house.get(&format!("/api/v1/workloads/job-{n}-49")).0;
    assert_eq!(known(taken), 404, "nothing of it has happened");
    for n in 0..taken {
        assert_eq!(known(n), 200, "what was acknowledged is there, and can be read");
    }
    for _ in 0..5 {
        assert_eq!(house.post("/api/v1/workloads:batch", &batch(taken)).0, 503);
        pause(Duration::from_millis(25));
    }
    // A server starts on a full disk, and answers.
    house.restart();
    assert_eq!(house.get("/api/v1/workloads/first").0, 200);
    fs::remove_file(&ballast).expect("it is there");
    drop(stone);
    loop {
        let (status, answer) = house.post("/api/v1/workloads:batch", &batch(taken));
        if status != 503 {
            assert!(status < 300, "{answer}");
            break;
        }
        pause(Duration::from_millis(5));
    }
    assert_eq!(house.get(&format!("/api/v1/workloads/job-{taken}-49")).0, 200);
    house.close();
    let reader = tidegate_store::open_read_only(house.data()).expect("the store");
    assert_eq!(reader.verify(&mut |_| ()).expect("it can be read").damage, []);
    assert_eq!(audit(&*reader, &mut |_| ()).expect("it can be read").violation, None);
}
