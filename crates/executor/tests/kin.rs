//! All that a replica starts ends with it, and takes no more than it may.

mod stage;

use stage::{Stage, groups, is_alive, kill};
use std::sync::{Arc, Mutex};
use tidegate_engine::ids::WorkloadId;
use tidegate_engine::slot::Devices;
use tidegate_executor::Executor;
use tidegate_executor::local::{GpuMeter, GpuProcess, GpuUse};

/// Leaves its parents, its session, its environment and its output behind.
const FORKS_AWAY: &str = "(setsid sh -c 'env -i setsid sh -c \"echo \\$\\$ > away; exec sleep 1000\" &' \
                          >/dev/null 2>&1 </dev/null &)\nwhile ! test -s away; do sleep 0.01; done\n";

fn ends_with_its_parent(mut stage: Stage) {
    stage.start(1, 0, &format!("{FORKS_AWAY}exit 4"));
    assert_eq!(stage.exit(1).0, 4);
    let away = stage.line_of(1, 0, "away");
    assert!(!is_alive(&away), "nothing of it is left when its end is told");
}

#[test]
fn who_forks_away_ends_with_its_parent() {
    ends_with_its_parent(Stage::new(|_| ()));
    ends_with_its_parent(Stage::new(|settings| settings.groups = groups()));
}

#[test]
fn who_forks_away_is_found_when_its_supervisor_is_killed() {
    let Some(found) = groups() else {
        eprintln!("skipped: without control groups who leaves everything behind is not found");
        return;
    };
    let mut stage = Stage::new(|settings| settings.groups = Some(found));
    stage.start(1, 0, &format!("{FORKS_AWAY}sleep 1000"));
    let (away, supervisor) = (stage.line_of(1, 0, "away"), stage.supervisor(1));
    kill(supervisor);
    assert_eq!(stage.exit(1), (137, "its supervisor was killed".into()));
    assert!(!is_alive(&away));
}

#[test]
fn what_lost_its_supervisor_is_killed_though_it_hides_its_mark() {
    let mut stage = Stage::new(|_| ());
    stage.start(1, 0, "echo $$ > pid; exec env -i sleep 1000");
    let (pid, supervisor) = (stage.line_of(1, 0, "pid"), stage.supervisor(1));
    kill(supervisor);
    assert_eq!(stage.exit(1), (137, "its supervisor was killed".into()));
    assert!(!is_alive(&pid));
}

#[test]
fn a_run_whose_directory_was_removed_tells_its_end() {
    let mut stage = Stage::new(|_| ());
    stage.start(1, 0, "echo $$ > pid; while ! test -e go; do sleep 0.01; done; exit 5");
    stage.line_of(1, 0, "pid");
    std::fs::remove_dir_all(&stage.runs(1)[0]).expect("removed");
    let place = stage.places().directory(tidegate_engine::ids::WorkspaceId(0), WorkloadId(1), "case");
    std::fs::write(place.join("go"), "").expect("written");
    assert_eq!(stage.exit(1).0, 5);
}

#[test]
fn a_run_whose_directory_was_removed_is_never_there_twice() {
    let mut stage = Stage::new(|_| ());
    stage.start(1, 0, "echo $$ > pid.new; mv pid.new pid; exec sleep 1000");
    let first = stage.line_of(1, 0, "pid");
    std::fs::remove_dir_all(&stage.runs(1)[0]).expect("removed");
    stage.restart();
    let place = stage.places().directory(tidegate_engine::ids::WorkspaceId(0), WorkloadId(1), "case");
    let second = stage.until("another start", |_| {
        let text = std::fs::read_to_string(place.join("pid")).ok()?.trim().to_string();
        (text != first).then_some(text)
    });
    assert!(!is_alive(&first) && is_alive(&second));
}

#[test]
fn what_cannot_be_asked_to_leave_is_killed() {
    let mut stage = Stage::new(|_| ());
    stage.start(1, 0, "echo $$ > pid; exec sleep 1000");
    let pid = stage.line_of(1, 0, "pid");
    std::fs::remove_dir_all(&stage.runs(1)[0]).expect("removed");
    stage.executor.forget(WorkloadId(1));
    stage.until("its end", |stage| stage.executor.running().is_empty().then_some(()));
    assert!(!is_alive(&pid));
}

#[test]
fn groups_that_nobody_knows_are_removed() {
    let Some(found) = groups() else {
        eprintln!("skipped: there are no control groups here");
        return;
    };
    let mut stage = Stage::new(|settings| settings.groups = Some(found));
    stage.start(1, 0, "grep ^0: /proc/self/cgroup > group; exec sleep 1000");
    let group = stage.line_of(1, 0, "group");
    let (_, tree) = group.split_once("/tidegate-test-").expect("it is in a group of ours");
    let below = |name: &str| {
        let mounts = std::fs::read_to_string("/proc/self/mountinfo").expect("it can be read");
        let line = mounts.lines().find(|line| line.contains(" - cgroup2 ")).expect("there are groups");
        let (tag, _) = tree.split_once('/').expect("a group of its own");
        let point = line.split(' ').nth(4).expect("a mount point");
        std::path::Path::new(point).join(format!("tidegate-test-{tag}")).join(name)
    };
    std::fs::create_dir(below("9-9-9-9.0")).expect("made");
    stage.restart();
    stage.until("the end of a stale group", |_| (!below("9-9-9-9.0").exists()).then_some(()));
    assert!(below("1-0-0-1.0").exists());
    stage.executor.forget(WorkloadId(1));
    stage.until("the end of its group", |_| (!below("1-0-0-1.0").exists()).then_some(()));
}

#[test]
fn memory_above_the_request_is_noticed() {
    let mut stage = Stage::new(|_| ());
    // Two processes, so that what they share is told apart.
    stage.start(1, 0, "exec perl -e '$x = \"a\" x (40 << 20); fork; sleep 1000'");
    stage.start(2, 0, "exec sleep 1000");
    let usage = stage.until("a measurement", |stage| {
        let seen = stage.executor.replicas().of(WorkloadId(1)).pop()?.1;
        seen.is_over_memory().then_some(seen.usage?)
    });
    // Each of the two has some 80 MiB of which most is shared.
    assert!((40 << 20..120 << 20).contains(&usage.memory) && usage.processes.len() == 2, "{usage:?}");
    let small = stage.until("another", |stage| stage.executor.replicas().of(WorkloadId(2)).pop()?.1.usage);
    assert!(small.memory < 16 << 20, "{small:?}");
    assert!(!stage.executor.replicas().of(WorkloadId(2))[0].1.is_over_memory());
}

/// A driver that sees one process of ours, and tells of it what it is told.
#[derive(Debug, Default)]
struct Driver(Mutex<Option<GpuProcess>>);

impl GpuMeter for Driver {
    fn read(&self, _: &str, device: u16) -> Option<GpuUse> {
        assert_eq!(device, 3);
        let processes: Vec<_> = self.0.lock().expect("fine").iter().cloned().collect();
        let memory = processes.iter().filter_map(|p| p.memory).sum();
        Some(GpuUse { duty: 990, memory, total: 80 << 30, processes })
    }
}

#[test]
fn who_computes_and_uses_more_than_its_part_of_a_gpu_is_noticed() {
    let driver = Arc::new(Driver::default());
    let meter = driver.clone();
    let mut stage = Stage::new(move |settings| settings.gpu_meter = Some(meter));
    stage.devices = Devices::Part { device: 3, milli: 250 };
    stage.start(1, 0, "echo $$ > pid; while :; do :; done");
    stage.start(2, 0, "exec sleep 1000");
    let pid = stage.line_of(1, 0, "pid").parse().expect("a number");
    *driver.0.lock().expect("fine") = Some(GpuProcess { pid, memory: Some(30 << 30), duty: Some(800) });
    let of = |stage: &Stage, id| stage.executor.replicas().of(WorkloadId(id)).pop().map(|(_, seen)| seen);
    let seen = stage.until("a flag", |stage| of(stage, 1).filter(|seen| seen.over_gpu().is_some()));
    let gpu = seen.over_gpu().expect("it was there");
    assert!(gpu.is_over_memory() && gpu.is_over_duty(), "{gpu:?}");
    assert_eq!((gpu.memory, gpu.granted_memory, gpu.part), (Some(30 << 30), 20 << 30, Some(250)));
    let other = of(&stage, 2).expect("it runs");
    let taken = other.usage.as_ref().and_then(|usage| usage.gpu.clone()).expect("it was measured");
    assert_eq!((taken.duty, taken.memory), (Some(0), Some(0)), "it has no process there");
    assert!(other.over_gpu().is_none());
    // One spins, the other sleeps.
    let cores = |stage: &Stage, id| of(stage, id)?.usage?.cores;
    let busy = stage.until("two looks", |stage| cores(stage, 1).filter(|cores| *cores > 0));
    let idle = stage.until("two looks", |stage| cores(stage, 2));
    assert!(busy > 20 && idle < 20, "{busy} and {idle} thousandths of a core");
}

#[test]
fn who_fills_its_directory_is_ended() {
    let mut stage = Stage::new(|settings| settings.work_limit = Some(4 << 20));
    stage.start(1, 0, "head -c 6000000 /dev/zero > large; exec sleep 1000");
    let (code, detail) = stage.exit(1);
    assert!(code != 0 && detail == "its directories take 5.7 MiB, and may take 4 MiB", "{code}: {detail}");
}
