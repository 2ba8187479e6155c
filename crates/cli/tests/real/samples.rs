//! What replicas take is measured, kept and shown; what cannot be known is not invented.

use super::lab::{Lab, until};
use serde_json::{Value, json};
use std::fs;

/// Figures of a series that are known.
fn known(series: &Value, metric: &str) -> Vec<f64> {
    let values = series["metrics"][metric]["values"].as_array().expect("values");
    values.iter().filter_map(Value::as_f64).collect()
}

#[test]
fn cores_and_memory_of_real_processes_are_kept_and_shown() {
    let lab = Lab::new("");
    let gang = json!({"replicas": 2, "resources": {"gpu": 1, "cpu": 0.1, "memory": "64Mi"}});
    // One of them computes, the other waits.
    let script = "test $TIDEGATE_REPLICA = 1 && while :; do :; done; exec sleep 1000";
    lab.submit("gang", script, gang);
    let cpu = |status: &Value, place: usize| status["placements"][place]["usage"]["cpu"].as_f64();
    let status = lab.until_status("gang", |status| {
        cpu(status, 0).is_some() && cpu(status, 1).is_some_and(|cpu| cpu > 0.02)
    });
    let numbers: Vec<_> = [0, 1].map(|place| status["placements"][place]["number"].clone()).into();
    assert_eq!(numbers, [0, 1]);
    assert!(cpu(&status, 0) < cpu(&status, 1), "{status}");
    assert_eq!(status["placements"][1]["usage"].get("gpu"), None, "a virtual GPU does nothing known");
    let shown = lab.run(&["show", "gang"]);
    assert!(shown.contains(" of 0.1 cores, takes ") && shown.contains("GPU duty unknown"), "{shown}");
    let top = lab.run(&["top", "--once"]);
    let line = |word: &str| top.lines().find(|line| line.contains(word)).expect(word).to_string();
    assert!(line("REPLICAS").contains("CPU") && line("REPLICAS").contains("DUTY"), "{top}");
    assert!(line("gang").contains("Mi"), "{top}");

    let series = |path: &str| lab.get(&format!("/api/v1/{path}"));
    let busy = until("a sample of its cores", || {
        let series = series("workloads/gang/series?replica=1");
        (known(&series, "cpu").last() > Some(&0.02)).then_some(series)
    });
    assert!(known(&busy, "memory").iter().all(|bytes| *bytes > 100e3), "{busy}");
    assert_eq!((known(&busy, "gpuDuty"), known(&busy, "gpuMemory")), (vec![], vec![]));
    let units = ["cpu", "memory", "gpuDuty", "gpuMemory"].map(|word| busy["metrics"][word]["unit"].clone());
    assert_eq!(units, ["cpu", "bytes", "ratio", "bytes"]);
    let both = series("workloads/gang/series");
    assert!(known(&both, "cpu").last() > Some(&0.02) && known(&both, "replicas").last() == Some(&2.0));
    let idle = series("workloads/gang/series?replica=0");
    assert!(known(&idle, "cpu").iter().sum::<f64>() < known(&busy, "cpu").iter().sum(), "{idle}");
    let node = series("nodes/local-0/series");
    assert!(known(&node, "cpu").last() > Some(&0.02) && known(&node, "memory").last() > Some(&200e3));
    let (status, body) =
        lab.ask("GET", "/api/v1/workloads/gang/series?replica=x", None, None).expect("it answers");
    assert_eq!(status, 400, "{body}");
    lab.stop_work("gang");
    lab.until_state("gang", "stopped");
}

#[test]
fn use_above_a_part_of_a_gpu_is_measured_shown_and_flagged() {
    let lab = Lab::new("");
    let meters = lab.data().join("meters");
    fs::create_dir_all(&meters).expect("made");
    let part = json!({"resources": {"gpu": 0.25, "cpu": 0.1, "memory": "64Mi"}});
    lab.submit("half", "exec sleep 1000", part);
    let device = lab.until_state("half", "running")["placements"][0]["devices"][0].clone();
    let meter = meters.join(format!("local-0.{device}"));
    let does = |duty: u32, gib: u64| {
        let text = format!("duty {duty}\nmemory {}\ntotal {}\n", gib << 30, 80u64 << 30);
        fs::write(meter.with_extension("new"), text).expect("written");
        fs::rename(meter.with_extension("new"), &meter).expect("renamed");
    };
    does(200, 10);
    let status = lab.until_status("half", |status| status["placements"][0]["usage"]["gpu"].is_object());
    assert_eq!(status.get("overGpu"), None, "{status}");
    does(900, 30);
    let status = lab.until_status("half", |status| status["overGpu"] == true);
    let gpu = &status["placements"][0]["usage"]["gpu"];
    let expected = json!({"duty": 0.9, "memory": 30u64 << 30, "grantedMemory": 20u64 << 30,
        "overDuty": true, "overMemory": true});
    assert_eq!(*gpu, expected);
    assert_eq!(status["state"], "running", "it is told, not stopped");
    let shown = lab.run(&["show", "half"]);
    for line in [
        "uses 30Gi of GPU memory, its part is 20Gi, which the device does not enforce",
        "computes 90 % of the time, its part of the GPU is 25 %, which the device does not enforce",
        "GPU duty 90 %, GPU memory 30Gi of 20Gi",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    assert!(lab.run(&["list"]).contains("uses 30Gi of GPU memory"));
    assert!(lab.run(&["top", "--once"]).contains("90 %"));
    until("a line in the log", || lab.said().contains("more than its part of a GPU").then_some(()));
    let duty = until("a sample", || {
        let series = lab.get("/api/v1/workloads/half/series");
        known(&series, "gpuDuty").last().copied().filter(|duty| *duty > 0.5)
    });
    assert_eq!(duty, 0.9);
    // It is well again.
    does(100, 10);
    let status = lab.until_status("half", |status| status.get("overGpu").is_none());
    assert_eq!(status["placements"][0]["usage"]["gpu"]["duty"], 0.1);
    lab.stop_work("half");
    lab.until_state("half", "stopped");
}

#[test]
fn a_save_is_an_event() {
    let lab = Lab::new("");
    lab.submit("saver", "sleep 1; touch $TIDEGATE_CHECKPOINT_SAVED; exec sleep 1000", json!({}));
    lab.until_status("saver", |status| status["savedAt"].is_string());
    let events = lab.run(&["events", "saver"]);
    assert!(events.lines().last().is_some_and(|line| line.ends_with("saver saved")), "{events}");
    assert!(lab.run(&["show", "saver"]).contains("saved "));
    lab.stop_work("saver");
    lab.until_state("saver", "stopped");
}
