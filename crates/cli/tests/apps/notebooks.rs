//! Notebooks: they know their path, keep their directory, and are stopped when nobody uses them.

use super::House;
use super::common::until;

#[test]
fn a_notebook_knows_its_path_and_keeps_its_directory() {
    let mut house = House::new();
    house.submit("note", "notebook", &[], &[]);
    house.until_ready("note", 1);
    assert_eq!(house.get("/default/note/lab?x=1").json()["path"], "/default/note/lab?x=1");
    let told = house.get("/default/note/").text();
    assert!(told.contains("x-forwarded-prefix"), "{told}");
    let first = house.directory("note");
    std::fs::write(first.join("work.txt"), "kept").expect("written");
    house.server.run(&["stop", "note"]).ok();
    house.server.wait_for("note", "stopped");
    house.server.run(&["start", "note"]).ok();
    house.until_ready("note", 1);
    assert_eq!(house.get("/default/note/who").status, 200);
    assert_eq!(house.directory("note"), first, "the same directory");
    // The program finds it where it is started.
    std::fs::write(first.join("ready"), "").expect("written");
    assert_eq!(house.get("/default/note/health").status, 200);
    assert_eq!(std::fs::read_to_string(first.join("work.txt")).expect("there"), "kept");
    // And once more: all of a line share the first one's directory.
    house.server.run(&["stop", "note"]).ok();
    house.server.wait_for("note", "stopped");
    house.server.run(&["start", "note"]).ok();
    house.until_ready("note", 1);
    assert_eq!(house.get("/default/note/health").status, 200);
}

#[test]
fn a_program_finds_its_base_path() {
    let house = House::new();
    let words =
        ["submit", "--name", "n", "--module", "notebook", "--", "sh", "-c", "echo base=$TIDEGATE_BASE_PATH"];
    house.server.run(&words).ok();
    house.server.wait_for("n", "finished");
    let log = house.server.data().join("logs");
    let text = until(|| {
        let of = std::fs::read_dir(&log).ok()?.flatten().next()?.path().join("0.log");
        std::fs::read_to_string(of).ok().filter(|text| text.contains("base="))
    });
    assert!(text.contains("base=/default/n"), "{text}");
}

#[allow(clippy::disallowed_methods, reason = "use is a matter of time")]
#[test]
fn a_notebook_that_nobody_uses_is_stopped() {
    let mut house = House::new();
    house.submit("note", "notebook", &["--idle-timeout", "3s"], &[]);
    house.until_ready("note", 1);
    // Somebody who uses it keeps it.
    let begun = std::time::Instant::now();
    until(|| {
        assert_eq!(house.get("/default/note/who").status, 200);
        (begun.elapsed() > std::time::Duration::from_secs(5)).then_some(())
    });
    assert_eq!(house.status("note")["state"], "running");
    house.server.wait_for("note", "stopped");
    house
        .server
        .run(&["submit", "--name", "x", "--idle-timeout", "1m", "--", "true"])
        .fails(2, "only a notebook is stopped");
    house
        .server
        .run(&["submit", "--name", "x", "--ready-path", "/x", "--", "true"])
        .fails(2, "only notebooks and services");
}

#[test]
fn a_notebook_ends_when_its_time_is_over() {
    let mut house = House::new();
    house.submit("note", "notebook", &["--max-run-time", "2s"], &[]);
    house.server.wait_for("note", "stopped");
    assert!(house.server.run(&["events", "note"]).ok().contains("max-run"));
}
