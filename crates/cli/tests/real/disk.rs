//! Disks that are full: output is lost and that is told, nothing else breaks.

use crate::lab::{Lab, is_root, line_in, until};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A small disk of its own, while it lasts.
struct Small(PathBuf);

impl Small {
    fn at(path: &Path, size: &str) -> Option<Small> {
        fs::create_dir_all(path).expect("made");
        let options = format!("size={size},mode=711");
        let mut mount = Command::new("mount");
        let mounted = mount.args(["-t", "tmpfs", "-o", &options, "tidegate-test"]).arg(path).status();
        let is_there = is_root() && mounted.is_ok_and(|status| status.success());
        if !is_there {
            eprintln!("skipped: no disk can be mounted here");
        }
        is_there.then(|| Small(path.into()))
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn output_that_finds_no_room_is_lost_and_told() {
    let mut lab = Lab::new("");
    lab.stop();
    let Some(_small) = Small::at(&lab.data().join("logs"), "64k") else { return };
    lab.start();
    lab.submit("talks", "echo first; head -c 1000000 /dev/zero; echo last; exit 5", json!({}));
    let (code, detail) = lab.failure("talks");
    assert!(code == 5 && detail.contains("bytes of output could not be written"), "{code}: {detail}");
    assert!(lab.output("talks").starts_with(b"first\n"));
    lab.is_clean();
}

#[test]
fn a_full_disk_costs_neither_exit_codes_nor_the_server() {
    let dir = tempfile::tempdir().expect("a directory");
    let Some(_small) = Small::at(&dir.path().join("data"), "24m") else { return };
    let mut lab = Lab::within(dir, "");
    let script = "echo $$ > pid; while ! test -e go; do sleep 0.02; done; exit 7";
    let waits = lab.submit("waits", script, json!({}));
    line_in(waits.join("pid"));
    let fill = "(head -c 100000000 /dev/zero > large) 2>/dev/null; echo full; exec sleep 1000";
    let large = lab.submit("fills", fill, json!({}));
    until("a full disk", || {
        let probe = lab.data().join("probe");
        let is_full = fs::write(&probe, [0; 8_192]).is_err();
        let _ = fs::remove_file(probe);
        (is_full && large.join("large").exists()).then_some(())
    });
    // It needs no room: it is made where nothing is full.
    std::os::unix::fs::symlink("/", waits.join("go")).expect("a name needs no room");
    until("its end", || (!lab.workers().iter().any(|p| p.line.contains("sleep 0.02"))).then_some(()));
    lab.crash();
    fs::remove_file(large.join("large")).expect("removed");
    assert_eq!(lab.failure("waits").0, 7);
    assert_eq!(lab.workload("fills")["status"]["state"], "running");
    lab.stop_work("fills");
    lab.until_state("fills", "stopped");
    lab.is_clean();
    lab.stop();
}

#[test]
fn who_fills_its_directory_is_ended() {
    let lab = Lab::new("work-limit = \"4Mi\"");
    lab.submit("hoards", "head -c 6000000 /dev/zero > large; exec sleep 1000", json!({}));
    let (code, detail) = lab.failure("hoards");
    assert!(code != 0 && detail == "its directories take 5.7 MiB, and may take 4 MiB", "{code}: {detail}");
    lab.is_clean();
}
