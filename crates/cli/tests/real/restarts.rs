//! Who ends again and again starts later and later, and is counted.

use crate::lab::{Lab, line_in, until};
use serde_json::json;
use std::fs;

#[test]
fn a_service_that_exits_at_once_is_kept_up_with_patience() {
    let lab = Lab::new("");
    let service = json!({"module": "service", "resources": {"cpu": 0.1, "memory": "64Mi"}});
    let dir = lab.submit("loops", "date +%s%N >> starts; exit 1", service);
    let status = lab.until_status("loops", |status| status["restarts"].as_u64() >= Some(2));
    assert_eq!(status["state"], "running");
    let starts = fs::read_to_string(dir.join("starts")).expect("it was started");
    let starts: Vec<u64> = starts.lines().map(|line| line.parse().expect("a number")).collect();
    assert!(starts.len() >= 2);
    for (pair, wait) in starts.windows(2).zip([1, 2, 4]) {
        assert!(pair[1] - pair[0] >= wait * 990_000_000, "{starts:?}");
    }
    lab.stop_work("loops");
    lab.until_state("loops", "stopped");
    lab.is_clean();
}

#[test]
fn patience_outlives_the_server() {
    let mut lab = Lab::new("");
    let service = json!({"module": "service", "resources": {"cpu": 0.1, "memory": "64Mi"}});
    let dir = lab.submit("loops", "echo $TIDEGATE_RESTARTS >> starts; exit 1", service);
    line_in(dir.join("starts"));
    lab.crash();
    lab.until_status("loops", |status| status["restarts"].as_u64() >= Some(2));
    let starts = until("three starts", || {
        fs::read_to_string(dir.join("starts")).ok().filter(|text| text.lines().count() >= 3)
    });
    assert!(starts.starts_with("0\n1\n2\n"), "{starts}");
}

#[test]
fn a_job_is_restarted_as_often_as_it_was_asked_for() {
    let mut lab = Lab::new("");
    let dir = lab.submit("fails", "echo $TIDEGATE_RESTARTS >> starts; exit 3", json!({"restarts": 2}));
    lab.until_status("fails", |status| status["restarts"].as_u64() >= Some(1));
    lab.crash();
    assert_eq!(lab.failure("fails").0, 3);
    assert_eq!(lab.workload("fails")["status"]["restarts"], 2);
    assert_eq!(fs::read_to_string(dir.join("starts")).expect("it ran"), "0\n1\n2\n");
    let shown = lab.run(&["show", "fails"]);
    assert!(shown.contains("restarts") && shown.contains("exit code"), "{shown}");
    lab.is_clean();
}
