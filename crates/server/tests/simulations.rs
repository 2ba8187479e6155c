//! Simulations over HTTP: from nothing, and from the present state.

mod house;

use house::House;
use serde_json::{Value, json};

fn simulate(house: &House, scenario: &str, from_server: bool) -> (u16, Value) {
    house.post("/api/v1/simulations", &json!({"scenario": scenario, "fromServer": from_server}))
}

fn words<'a>(simulation: &'a Value, workload: &str) -> Vec<(f64, &'a str)> {
    let events = simulation["events"].as_array().expect("events").iter();
    let of = events.filter(|event| event["workload"] == workload);
    of.map(|event| (event["at"].as_f64().expect("seconds"), event["event"].as_str().expect("a word")))
        .collect()
}

#[test]
fn a_scenario_gives_what_the_command_line_gives() {
    let house = House::new("1x8");
    let scenario = "pool a 2x8 H100\nquota Q 16 pool=a\nat 0s submit x Q training p1 1x8 for 1h\n";
    let (status, answer) = simulate(&house, scenario, false);
    assert_eq!(status, 200, "{answer}");
    let recording = tidegate_sim::simulate(scenario.as_bytes()).expect("it runs");
    assert_eq!(answer, tidegate_sim::report::json::document(&recording.report));
    assert_eq!(house.get("/api/v1/workloads").1["items"], json!([]), "nothing happened");
}

#[test]
fn a_simulation_goes_on_from_the_present_state() {
    let house = House::new("2x8");
    let work = |name: &str, duration: Option<&str>| {
        let virtual_run = duration.map(|duration| json!({"duration": duration}));
        json!({"metadata": {"name": name}, "spec": {"resources": {"gpu": 8}, "gracePeriod": "0s", "virtual": virtual_run}})
    };
    let submit = |name: &str, duration| {
        let (status, answer) = house.post("/api/v1/workloads", &work(name, duration));
        assert_eq!(status, 201, "{answer}");
    };
    submit("short", Some("2h"));
    submit("endless", None);
    submit("waits", Some("1h"));
    let before = house.get("/api/v1/workloads").1;
    let scenario =
        "at 0s submit later main training p1 1x8 for 30m\nat 1m explain waits\nat 10h stop endless\n";
    let (status, answer) = simulate(&house, scenario, true);
    assert_eq!(status, 200, "{answer}");
    // What ran before goes on: the short one ends within two hours of its own start, and the next takes its place.
    let short = words(&answer, "short");
    assert!(matches!(short[..], [(at, "finished")] if at > 7_000.0 && at <= 7_200.0), "{short:?}");
    let waits = words(&answer, "waits");
    assert_eq!(waits.iter().map(|(_, word)| *word).collect::<Vec<_>>(), ["explain", "started", "finished"]);
    // Seconds with decimals: compared as the milliseconds that they are.
    let milliseconds = |seconds: f64| (seconds * 1_000.0).round() as u64;
    let ended = milliseconds(short[0].0);
    assert_eq!(milliseconds(waits[1].0), ended);
    assert_eq!(milliseconds(waits[2].0), ended + 3_600_000);
    let later = words(&answer, "later").last().map(|(at, word)| (milliseconds(*at), *word));
    assert_eq!(later, Some((ended + 5_400_000, "finished")));
    assert_eq!(words(&answer, "endless"), [(36_000.0, "stopped")]);
    let ends = &answer["final"]["workloads"];
    assert_eq!((&ends["short"]["state"], &ends["endless"]["state"]), (&json!("finished"), &json!("stopped")));
    assert_eq!(house.get("/api/v1/workloads").1, before, "nothing happened");
}

#[test]
fn what_cannot_be_run_is_refused() {
    let house = House::new("1x8");
    let check = |scenario: &str, from_server, status, code: &str, says: &str| {
        let (given, problem) = simulate(&house, scenario, from_server);
        assert_eq!((given, problem["code"].as_str()), (status, Some(code)), "{problem}");
        assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains(says)), "{problem}");
    };
    check("pool", false, 422, "bad-scenario", "line 1, column 5");
    check("pool local 1x8 H100\n", true, 422, "bad-scenario", "local");
    check("pool a 9999x1 H100\npool b 99999x1 H100\n", false, 422, "limit-exceeded", "100001 events");
    check("pool a 1x1 H100\nat 5000d show\n", false, 422, "bad-scenario", "at most 3650d");
    check(&"x".repeat(300_000), false, 422, "invalid", "bytes");
    let endless = "pool a 1x1 H100\nquota Q 1 pool=a\nat 0s submit x Q training p1 1x1 for 5000d\n";
    check(endless, false, 422, "limit-exceeded", "does not end within its bounds");
}
