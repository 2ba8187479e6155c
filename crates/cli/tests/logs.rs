//! What real processes write, and what becomes of them, as the command line shows it.

mod common;

use common::Server;
use std::process::{Output, Stdio};

/// Goes on when the file is there.
const WHEN_TOLD: &str = "while [ ! -e \"$GO\" ]; do sleep 0.05; done";

fn sh<'a>(name: &'a str, more: &[&'a str], script: &'a str) -> Vec<&'a str> {
    let mut words = vec!["submit", "--name", name, "--grace", "0s"];
    words.extend(more);
    words.extend(["--", "sh", "-c", script]);
    words
}

fn output(server: &Server, arguments: &[&str]) -> Output {
    server.command(arguments).stdin(Stdio::null()).output().expect("the binary runs")
}

#[test]
fn a_first_job_needs_no_other_step() {
    let server = Server::with(&["--executor", "local"]);
    let ran = server.run(&["submit", "--name", "hi", "--wait", "--", "echo", "hi"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(server.run(&["logs", "hi"]).ok(), "hi\n");
    assert_eq!(server.run(&["logs", "-f", "hi"]).ok(), "hi\n", "what has ended is not waited for");
    let followed =
        server.run(&["submit", "--name", "again", "--follow", "--", "sh", "-c", "echo out; exit 3"]);
    assert_eq!((followed.code, followed.out.as_str()), (3, "out\n"), "{followed:?}");
    assert!(followed.err.ends_with("again failed with exit code 3\n"), "{followed:?}");
}

#[test]
fn how_it_ended_is_told() {
    let server = Server::real(2);
    let ran = server.run(&sh("shot", &["--wait"], "kill -9 $$"));
    assert_eq!(ran.code, 137, "{ran:?}");
    assert!(ran.err.contains("shot failed with exit code 137 (killed by SIGKILL)"), "{ran:?}");
    assert!(server.run(&["show", "shot"]).ok().contains("137 (killed by SIGKILL)"));
    let ran = server.run(&["submit", "--name", "typo", "--wait", "--", "no-such-program"]);
    assert_eq!(ran.code, 127, "{ran:?}");
    assert!(ran.err.contains("cannot start no-such-program"), "{ran:?}");
    assert!(server.run(&["logs", "typo"]).ok().starts_with("[tidegate: cannot start no-such-program"));
    let gone = ["submit", "--name", "gone", "--wait", "--working-dir", "nowhere", "--", "true"];
    assert_eq!(server.run(&gone).code, 126);
}

#[test]
fn bytes_are_what_was_written() {
    let server = Server::real(2);
    server.run(&sh("binary", &["--wait"], "printf 'a\\377\\000\\200\\n\\r\\033[1mz'")).ok();
    let all = b"a\xff\0\x80\n\r\x1b[1mz";
    assert_eq!(output(&server, &["logs", "binary"]).stdout, all);
    assert_eq!(output(&server, &["logs", "-f", "binary"]).stdout, all);
    assert_eq!(output(&server, &["logs", "binary", "--tail", "1"]).stdout, b"\r\x1b[1mz");
}

#[test]
fn replicas_are_told_apart() {
    let server = Server::real(2);
    let script = "echo first of $RANK; echo last of $RANK; printf end";
    server.run(&sh("gang", &["--replicas", "2", "--gpus", "1", "--wait"], script)).ok();
    let all = "[0] first of 0\n[0] last of 0\n[0] end\n[1] first of 1\n[1] last of 1\n[1] end";
    assert_eq!(server.run(&["logs", "gang"]).ok(), all);
    assert_eq!(server.run(&["logs", "gang", "--replica", "1"]).ok(), "first of 1\nlast of 1\nend");
    assert_eq!(server.run(&["logs", "gang", "--replica", "1", "--tail", "2"]).ok(), "last of 1\nend");
    assert_eq!(server.run(&["logs", "gang", "--tail", "1"]).ok(), "[0] end\n[1] end");
    server.run(&["logs", "gang", "--replica", "2"]).fails(3, "no output of replica 2");
    server.run(&["logs", "nobody"]).fails(3, "no workload nobody");
    let mut lines: Vec<String> =
        server.run(&["logs", "-f", "gang"]).ok().lines().map(str::to_string).collect();
    lines.sort();
    assert_eq!(
        lines,
        ["[0] end", "[0] first of 0", "[0] last of 0", "[1] end", "[1] first of 1", "[1] last of 1"]
    );
}

#[test]
fn who_follows_sees_restarts_and_the_end() {
    let server = Server::real(2);
    let script = "echo run $TIDEGATE_RESTARTS; [ $TIDEGATE_RESTARTS = 0 ] || exit 0; exec sleep 1000";
    server.run(&["submit", "--name", "full", "--gpus", "2", "--grace", "0s", "--", "sleep", "1000"]).ok();
    server.run(&sh("twice", &["--gpus", "1"], script)).ok();
    assert_eq!(server.run(&["logs", "twice"]).ok(), "", "it waits, and has written nothing");
    let mut following = server.follow(&["logs", "-f", "twice"]);
    server.run(&["stop", "full"]).ok();
    assert_eq!(following.line_with("run"), "run 0\n");
    server.run(&["restart", "twice"]).ok();
    assert_eq!(following.line_with("run"), "run 1\n");
    assert_eq!(following.end(), 0);
}

#[test]
fn who_follows_outlives_the_server() {
    let mut server = Server::real(2);
    let go = server.dir.path().join("go");
    let told = format!("GO={}", go.display());
    let script = format!("echo one; {WHEN_TOLD}; echo two; exit 5");
    server.run(&sh("steady", &["--env", &told], &script)).ok();
    let mut following = server.follow(&["logs", "-f", "steady"]);
    assert_eq!(following.line_with(""), "one\n");
    server.crash_and_restart();
    std::fs::write(&go, "").expect("written");
    assert_eq!(following.line_with(""), "two\n", "nothing twice, nothing missed");
    assert_eq!(following.end(), 0);
    server.wait_for("steady", "failed");
    assert_eq!(server.run(&["show", "steady", "-o", "json"]).json()["status"]["exitCode"], 5);
    assert_eq!(server.run(&["logs", "steady"]).ok(), "one\ntwo\n");
}

#[test]
fn output_is_dropped_when_it_is_old() {
    let config = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(config.path(), "retain-logs = \"0s\"\n").expect("written");
    let server = Server::with(&["--executor", "local", "--config", &config.path().to_string_lossy()]);
    server.run(&sh("brief", &["--wait"], "echo hi")).ok();
    common::until(|| (server.run(&["logs", "brief"]).code == 3).then_some(()));
    server.run(&["logs", "brief"]).fails(3, "nothing is kept that brief wrote");
}

#[test]
fn directories_go_with_a_workload_that_is_deleted() {
    let config = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(config.path(), "retain-logs = \"0s\"\n").expect("written");
    let server = Server::with(&["--executor", "local", "--config", &config.path().to_string_lossy()]);
    let save = "echo 1 > result; echo 2 > \"$TIDEGATE_CHECKPOINT_DIR/step\"";
    for name in ["kept", "dropped"] {
        server.run(&sh(name, &["--wait"], save)).ok();
    }
    // It goes on where the first of its line was.
    server.run(&["start", "kept"]).ok();
    server.wait_for("kept", "finished");
    server.run(&["delete", "dropped"]).ok();
    let work = server.data().join("work/0");
    let names = || {
        let entries = std::fs::read_dir(&work).expect("listed").flatten();
        let mut names: Vec<_> = entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    };
    common::until(|| (!names().iter().any(|name| name.starts_with("dropped."))).then_some(()));
    let kept: Vec<_> = names().into_iter().filter(|name| name.starts_with("kept.")).collect();
    assert_eq!(kept.len(), 2, "{kept:?}");
    assert_eq!(std::fs::read_to_string(work.join(&kept[0]).join("result")).expect("kept"), "1\n");
}
