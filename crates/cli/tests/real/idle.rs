//! Notebooks that do nothing are stopped by the scheduling center, by what is measured of real processes; who works, or
//! is exempt, is left alone.

use super::lab::Lab;
use serde_json::{Value, json};

/// Computes some hundredths of a core, far more than a shell that sleeps, and leaves the machine to other tests.
const WORKS: &str = "while :; do i=0; while [ $i -lt 5000 ]; do i=$((i+1)); done; sleep 0.05; done";

#[test]
fn a_notebook_that_does_nothing_is_stopped_and_one_that_works_is_not() {
    let lab = Lab::new("");
    let made = |path: &str, body: Value| {
        let (status, answer) = lab.ask("POST", path, Some(&body), None).expect("the server answers");
        assert_eq!(status, 201, "{answer}");
        answer
    };
    made("/api/v1/users", json!({"metadata": {"name": "berta"}, "spec": {}}));
    lab.run(&["workspace", "member", "add", "default", "berta", "--role", "developer"]);
    let berta = made("/api/v1/tokens", json!({"user": "berta"}))["secret"].take();
    // The shortest that a policy may say: six looks.
    let words = ["--notebook-idle", "1m:20%:5%", "--exempt", "berta"];
    lab.run(&[&["workspace", "policy", "set", "default", "main"], &words[..]].concat());
    let notebook =
        |gpu: u32| json!({"module": "notebook", "resources": {"gpu": gpu, "cpu": 0.1, "memory": "64Mi"}});
    lab.submit("asleep", "exec sleep 1000", notebook(1));
    lab.submit("unaided", "exec sleep 1000", notebook(0));
    lab.submit("works", WORKS, notebook(1));
    lab.submit_by(
        berta.as_str().expect("a secret"),
        "exempt",
        &["/bin/sh", "-c", "exec sleep 1000"],
        notebook(1),
    );
    for name in ["works", "exempt"] {
        lab.until_state(name, "running");
    }
    let why = |name: &str| lab.until_state(name, "stopped")["stopReason"].take();
    let says = "stopped by the scheduling center (notebook.idle): it used less than 20% of its cores for 1m";
    assert_eq!(why("unaided"), says);
    assert_eq!(why("asleep"), format!("{says}; what its GPUs did is not known, and was not counted"));
    for name in ["works", "exempt"] {
        let status = lab.workload(name)["status"].take();
        assert_eq!((&status["state"], &status["stopReason"]), (&json!("running"), &Value::Null), "{name}");
    }
    // One stopped so is started again like any other.
    lab.run(&["start", "asleep"]);
    lab.until_state("asleep", "running");
    for name in ["asleep", "works", "exempt"] {
        lab.stop_work(name);
    }
    lab.is_clean();
}
