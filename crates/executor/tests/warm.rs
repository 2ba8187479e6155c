//! Workers that do task after task, with real processes: what they are told, and what becomes of those that misbehave.

mod stage;

use stage::{Stage, is_alive, is_root, kill};
use std::path::PathBuf;
use tidegate_engine::ids::{Span, WorkloadId, WorkspaceId};
use tidegate_engine::slot::Devices;
use tidegate_engine::words::Module;
use tidegate_executor::local::{Isolation, NOT_ACCEPTED};
use tidegate_executor::supervisor::OUT_OF_TURN;
use tidegate_executor::{Handover, Launch, Warm, Work};

/// Says that it is ready, then does this with each `$line` that it reads; `$id` is the task's name in quotes.
fn each(script: &str) -> String {
    format!(
        r#"echo '{{"ready": true}}'
        while read -r line; do id=${{line#*:}}; id=${{id%%,*}}; {script}
        done"#
    )
}

/// The user of the first workspace.
const FIRST: u32 = 1_900_000_000;

/// Answers with its own number.
const PID: &str = r#"echo "{\"task\":$id,\"output\":$$}""#;

fn launch(script: &str, input: &str) -> Launch {
    let mut launch = Launch::of_work(Module::Task, Work::default());
    launch.command = vec!["/bin/sh".into(), "-c".into(), script.into()];
    launch.grace = Span(0);
    let warm = Warm {
        task: "".into(),
        line: format!("t@{}", script.len()).into(),
        workers: 2,
        idle: Span::seconds(60),
        tasks: None,
        ready_within: Span::seconds(30),
    };
    launch.task =
        Some(Handover { input: input.into(), output_limit: 1_000, files_limit: 1_000, warm: Some(warm) });
    launch
}

fn warm(launch: &mut Launch) -> &mut Warm {
    launch.task.as_mut().and_then(|task| task.warm.as_mut()).expect("it is warm")
}

trait Tasks {
    fn task(&mut self, id: u32, script: &str);
    fn task_as(&mut self, id: u32, launch: Launch);
    fn answer(&mut self, id: u32) -> Option<serde_json::Value>;
    fn end(&mut self, id: u32);
    fn succeeds(&mut self, id: u32, script: &str) -> String;
    fn fails(&mut self, id: u32, script: &str, code: i32, says: &str);
    fn workers(&self) -> Vec<PathBuf>;
}

impl Tasks for Stage {
    fn task(&mut self, id: u32, script: &str) {
        self.task_as(id, launch(script, &format!("{{\"n\":{id}}}")));
    }

    fn task_as(&mut self, id: u32, mut launch: Launch) {
        warm(&mut launch).task = format!("w-{id}").into();
        self.start_as(id, launch);
    }

    fn answer(&mut self, id: u32) -> Option<serde_json::Value> {
        self.places()
            .tray(WorkspaceId::DEFAULT, WorkloadId(id), "case")
            .read_output(1_000)
            .expect("it is JSON")
    }

    /// The engine has heard of its end.
    fn end(&mut self, id: u32) {
        self.forget(id);
    }

    fn succeeds(&mut self, id: u32, script: &str) -> String {
        self.task(id, script);
        assert_eq!(self.exit(id), (0, String::new()), "{}", self.output(id));
        let answer = self.answer(id).map_or_else(String::new, |answer| answer.to_string());
        self.end(id);
        answer
    }

    fn fails(&mut self, id: u32, script: &str, code: i32, says: &str) {
        self.task(id, script);
        let (was, why) = self.exit(id);
        assert!(was == code && why.contains(says), "{script}: {was} {why}");
        self.end(id);
    }

    fn workers(&self) -> Vec<PathBuf> {
        let all = std::fs::read_dir(self.directory.path().join("runs/warm"));
        all.into_iter().flatten().flatten().map(|e| e.path()).filter(|path| path.is_dir()).collect()
    }
}

fn stage() -> Stage {
    Stage::new(|_| ())
}

#[test]
fn one_process_does_task_after_task() {
    let mut stage = stage();
    let script = each(&format!("echo \"$line\" >> told; echo \"hear $id\" >&2; {PID}"));
    let first = stage.succeeds(1, &script);
    assert_eq!(stage.succeeds(2, &script), first, "the same process");
    assert_eq!(stage.output(2), "hear \"w-2\"\n", "each task has its own log");
    let home = std::fs::read_dir(stage.directory.path().join("work/0")).expect("there").flatten();
    let home = home.map(|e| e.path()).find(|path| path.extension().is_some_and(|e| e == "worker"));
    let told = std::fs::read_to_string(home.expect("its directory").join("told")).expect("told");
    let told: Vec<serde_json::Value> =
        told.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((&told[1]["task"], &told[1]["inputs"]["n"]), (&"w-2".into(), &2.into()));
    assert!(told[1]["outputDir"].as_str().is_some_and(|dir| dir.ends_with(".worker/files")), "{told:?}");
    // Others have others: of another version, workspace or size.
    assert_ne!(stage.succeeds(3, &format!("{script} ")), first);
    let mut other = launch(&script, "1");
    other.workspace = WorkspaceId(1);
    stage.task_as(4, other);
    assert_eq!(stage.exit(4).0, 0);
    stage.end(4);
    assert_eq!(stage.succeeds(5, &script), first, "and it is still there");
}

#[test]
fn what_it_gives_back_is_kept_and_bounded() {
    let mut stage = stage();
    let script = each(
        r#"dir=${line##*:}; dir=${dir#\"}; dir=${dir%\"\}}; n=${line#*\"n\":}; n=${n%%\}*}
        case $n in
        1) echo hi > $dir/hi.txt; echo "{\"task\":$id,\"output\":{\"a\":[1,2]}}";;
        2) echo "{\"task\":$id}";;
        3) echo "{\"task\":$id,\"error\":\"no such picture\"}";;
        4) echo "{\"task\":$id,\"output\":\"$(head -c 999 /dev/zero | tr '\0' x)\"}";;
        5) head -c 1100 /dev/zero > $dir/large; echo "{\"task\":$id}";;
        esac"#,
    );
    assert_eq!(stage.succeeds(1, &script), r#"{"a":[1,2]}"#);
    let tray = stage.places().tray(WorkspaceId::DEFAULT, WorkloadId(1), "case");
    assert_eq!(tray.list().expect("listed").len(), 1);
    assert_eq!(stage.succeeds(2, &script), "");
    stage.fails(3, &script, 1, "no such picture");
    stage.fails(4, &script, NOT_ACCEPTED, "1001 bytes are more than the limit of 1000");
    stage.fails(5, &script, NOT_ACCEPTED, "1100 bytes are more than the limit of 1000");
    assert_eq!(stage.workers().len(), 1, "nothing of this is the end of it");
}

#[test]
fn whoever_breaks_the_protocol_is_replaced() {
    let mut stage = stage();
    let cases = [
        ("exit 3", 3, "its worker ended without an answer"),
        ("exit 0", OUT_OF_TURN, "its worker ended without an answer"),
        ("kill -9 $$", 137, "killed by SIGKILL"),
        ("echo nonsense", OUT_OF_TURN, "no message"),
        (r#"echo "{\"task\":\"w-0\",\"output\":1}""#, OUT_OF_TURN, "its task is w-"),
        (r#"echo "{\"task\":$id,\"outputs\":1}""#, OUT_OF_TURN, "unknown field"),
        (r#"echo "{\"task\":$id,\"output\":1,\"error\":\"x\"}""#, OUT_OF_TURN, "out of turn"),
        (r#"echo "{\"ready\":true}""#, OUT_OF_TURN, "out of turn"),
        ("head -c 3000 /dev/zero | tr '\\0' x", NOT_ACCEPTED, "more than the limit of 1000 bytes"),
        ("exec >&-; exec sleep 600", OUT_OF_TURN, "closed its stdout"),
    ];
    for (n, (script, code, says)) in cases.into_iter().enumerate() {
        stage.fails(10 + n as u32, &each(script), code, says);
        let id = 10 + n as u32;
        assert!(stage.output(id).contains("[tidegate: "), "{script}: {}", stage.output(id));
    }
    // Before it has said that it is ready.
    stage.fails(30, "echo hello", OUT_OF_TURN, "no message");
    stage.fails(31, r#"echo '{"task":"w-31"}'"#, OUT_OF_TURN, "not said that it is ready");
    stage.fails(32, "exit 0", OUT_OF_TURN, "without an answer");
    let mut silent = launch("exec sleep 600", "1");
    warm(&mut silent).ready_within = Span(300);
    stage.task_as(33, silent);
    let (code, why) = stage.exit(33);
    assert!(code == OUT_OF_TURN && why.contains("within 300 ms"), "{code} {why}");
    stage.end(33);
    let mut missing = launch("", "1");
    missing.command = vec!["/no/such/program".into()];
    stage.task_as(34, missing);
    assert_eq!(stage.exit(34).0, 127);
    stage.end(34);
    stage.until("the end of all workers", |stage| stage.workers().is_empty().then_some(()));
}

#[test]
fn the_first_answer_counts_and_who_answers_twice_gets_no_other_task() {
    let mut stage = stage();
    let script = each(&format!("{PID}; {PID}"));
    let mut seen = Vec::new();
    for id in 1..6 {
        seen.push(stage.succeeds(id, &script));
    }
    seen.dedup();
    assert_eq!(seen.len(), 5, "each had another worker");
    // The answer to the task before, after the next has come: whose it is cannot be told.
    let late = each(r#"[ -n "$last" ] && echo "{\"task\":$last}"; last=$id; echo "{\"task\":$id}""#);
    stage.succeeds(6, &late);
    stage.fails(7, &late, OUT_OF_TURN, "its task is w-7");
}

#[test]
fn a_task_that_is_asked_to_leave_takes_its_worker_with_it() {
    let mut stage = stage();
    let script = each("echo $$ > pid; exec sleep 600");
    stage.task(1, &script);
    let pid = stage.until("its number", |stage| {
        let work = std::fs::read_dir(stage.directory.path().join("work/0")).ok()?.flatten();
        let mut pids = work.filter_map(|e| std::fs::read_to_string(e.path().join("pid")).ok());
        pids.find_map(|text| Some(text.strip_suffix('\n')?.to_string()))
    });
    stage.end(1);
    stage.until("its end", |_| (!is_alive(&pid)).then_some(()));
    stage.until("the end of its worker", |stage| stage.workers().is_empty().then_some(()));
    assert_eq!(stage.reports, []);
}

#[test]
fn a_server_that_is_killed_loses_nothing() {
    let mut stage = stage();
    let script = each(&format!("sleep 0.3; {PID}"));
    let first = stage.succeeds(1, &script);
    // In the middle of a task.
    stage.task(2, &script);
    stage.until("its beginning", |stage| stage.runs(2).first()?.join("begun").exists().then_some(()));
    stage.restart();
    assert_eq!(stage.exit(2), (0, String::new()));
    assert_eq!(stage.answer(2).map(|pid| pid.to_string()), Some(first.clone()), "it was begun once");
    stage.end(2);
    stage.until("the end of the worker", |stage| stage.workers().is_empty().then_some(()));
    assert!(!is_alive(&first), "what a server before has begun is not gone on with");
    // Just handed over, whether it was taken or not.
    for id in 3..20 {
        stage.succeeds(100 + id, &script.replace("0.3", "0.02"));
        stage.task(id, &script.replace("0.3", "0.02"));
        let reports = stage.executor_poll();
        assert_eq!(reports, []);
        stage.restart();
        assert_eq!(stage.exit(id), (0, String::new()), "{id}: {}", stage.output(id));
        stage.end(id);
    }
}

#[test]
fn a_supervisor_that_is_killed_fails_its_task_alone() {
    let mut stage = stage();
    stage.task(1, &each("sleep 600"));
    let supervisor = stage.supervisor(1);
    kill(supervisor);
    let (code, why) = stage.exit(1);
    assert!(code == 137 && why.contains("its supervisor was killed"), "{code} {why}");
    stage.end(1);
    stage.until("the end of the worker", |stage| stage.workers().is_empty().then_some(()));
    // Of one that waits it is nobody's loss.
    let script = each(PID);
    let pid = stage.succeeds(2, &script);
    let worker = stage.workers().pop().expect("it waits");
    let text = std::fs::read_to_string(worker.join("pid")).expect("its supervisor");
    kill(text.split_whitespace().next().and_then(|pid| pid.parse().ok()).expect("a number"));
    assert_ne!(stage.succeeds(3, &script), pid);
    stage.until("its end", |_| (!is_alive(&pid)).then_some(()));
}

#[test]
fn who_waits_holds_nothing_that_is_given_to_others() {
    let mut stage = stage();
    let script = each(PID);
    stage.devices = Devices::Mask(1);
    let on_first = stage.succeeds(1, &script);
    stage.devices = Devices::Mask(2);
    let on_second = stage.succeeds(2, &script);
    assert_ne!(on_first, on_second, "a process keeps the devices that it was started with");
    stage.devices = Devices::Mask(1);
    assert_eq!(stage.succeeds(3, &script), on_first);
    // Somebody else is given the first.
    stage.start(4, 0, "echo $$ > pid; exec sleep 600");
    stage.line_of(4, 0, "pid");
    assert!(!is_alive(&on_first) && is_alive(&on_second), "it was gone before the other began");
    stage.devices = Devices::Mask(2);
    assert_eq!(stage.succeeds(5, &script), on_second);
    // And the memory of the node.
    stage.devices = Devices::None;
    stage.node_memory = 40 << 20;
    stage.start(6, 0, "echo $$ > pid; exec sleep 600");
    stage.line_of(6, 0, "pid");
    assert!(!is_alive(&on_second), "three times 16 MiB are more than 40");
}

#[test]
fn workers_are_kept_as_long_and_as_many_as_was_said() {
    let mut stage = stage();
    let script = each(&format!("sleep 0.2; {PID}"));
    for id in 1..=4 {
        stage.task(id, &script);
    }
    for id in 1..=4 {
        assert_eq!(stage.exit(id).0, 0);
        stage.end(id);
    }
    stage.until("two of four", |stage| (stage.workers().len() == 2).then_some(()));
    let mut few = launch(&each(PID), "1");
    warm(&mut few).tasks = Some(2);
    let mut pids = Vec::new();
    for id in 11..=15 {
        stage.task_as(id, few.clone());
        assert_eq!(stage.exit(id).0, 0);
        pids.extend(stage.answer(id).map(|pid| pid.to_string()));
        stage.end(id);
    }
    pids.dedup();
    assert_eq!(pids.len(), 3, "two tasks each: {pids:?}");
    let mut short = launch(&format!("{} ", each(PID)), "1");
    warm(&mut short).idle = Span(100);
    stage.task_as(21, short);
    assert_eq!(stage.exit(21).0, 0);
    let pid = stage.answer(21).expect("an answer").to_string();
    stage.until("the end of its patience", |_| (!is_alive(&pid)).then_some(()));
    let home = stage.directory.path().join("work/0");
    let homes = || std::fs::read_dir(&home).into_iter().flatten().flatten();
    let is_home = |e: &std::fs::DirEntry| e.path().extension().is_some_and(|e| e == "worker");
    let kept = stage.workers().len();
    stage.until("the removal of its directory", |stage| {
        (homes().filter(is_home).count() == stage.workers().len()).then_some(())
    });
    assert!(kept <= 4, "{kept}");
}

#[test]
fn a_worker_runs_as_its_workspace_and_cannot_put_a_link_in_the_way() {
    if !is_root() {
        return;
    }
    let mut stage = Stage::new(|settings| {
        settings.isolation = Isolation::here(FIRST, 10, false);
    });
    let script = each(
        r#"dir=${line##*:}; dir=${dir#\"}; dir=${dir%/files\"\}}; ln -s /etc/tidegate-test-link $dir/output.json
        echo "{\"task\":$id,\"output\":$(id -u)}""#,
    );
    stage.task(1, &script);
    assert_eq!(stage.exit(1), (0, String::new()));
    assert_eq!(stage.answer(1).map(|uid| uid.to_string()), Some(FIRST.to_string()));
    assert!(!PathBuf::from("/etc/tidegate-test-link").exists());
    stage.end(1);
}
