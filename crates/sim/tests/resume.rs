//! A run that begins in the middle of another one goes on as that one did.

use serde_json::{Value, json};
use tidegate_engine::Engine;
use tidegate_engine::ids::{Span, Tick, WorkspaceId};
use tidegate_sim::report::json::document;
use tidegate_sim::{
    Bounds, Going, Recording, RunError, SimError, Start, Work, language, run_within, simulate,
};

const BEFORE: &str = "pool a 2x8 H100
quota Q 16 pool=a child=1-9:training
quota R 8 parent=Q
at 0s submit x R training p1 1x8 for 2h checkpoint=30m grace=10m
at 0s submit y Q training p1 1x8 for 90m
at 40m submit boss Q training p1 1x8 for 1h
";

fn minutes(m: u64) -> Tick {
    Tick(Span::minutes(m).0)
}

/// As it stands at 45m: x leaves until 50m, with half an hour of its work saved.
fn in_the_middle(whole: &Recording) -> Start {
    let mut engine = Engine::new();
    let past = whole.events.iter().filter(|event| event.at <= minutes(45));
    past.for_each(|event| engine.apply(event));
    let going = |name: &str, hours: u64, checkpoint: Option<Span>, saved, since| Going {
        workload: engine.workload_named(WorkspaceId::DEFAULT, name).expect("it is there"),
        work: Work { duration: Some(Span::minutes(hours)), checkpoint, hang: false },
        saved,
        since,
    };
    let going = vec![
        going("x", 120, Some(Span::minutes(30)), Span::minutes(30), None),
        going("y", 90, None, Span::ZERO, Some(Tick::ZERO)),
        going("boss", 60, None, Span::ZERO, None),
    ];
    Start { engine, now: minutes(45), going }
}

fn resume(start: Start, scenario: &str, bounds: Bounds) -> Result<Recording, SimError> {
    let parsed = language::parse(scenario).map_err(SimError::File)?;
    run_within(&parsed, scenario, Some(start), bounds)
}

#[test]
fn what_follows_is_what_would_have_followed() {
    let later = "submit late R training p1 1x8 for 10m grace=0s";
    let whole = format!("{BEFORE}at 1h {later}\nat 65m explain x\nat 65m show\n");
    let whole = simulate(whole.as_bytes()).expect("it runs");
    let rest = format!("at 15m {later}\nat 20m explain x\nat 20m show\n");
    let resumed = resume(in_the_middle(&whole), &rest, Bounds::default()).expect("it runs");
    let (whole, resumed) = (document(&whole.report), document(&resumed.report));
    let shift = |mut event: Value| {
        let at = event["at"].as_u64().expect("whole seconds");
        event["at"] = json!(at.checked_sub(2_700)?);
        // What happened before 0s is told as of 0s.
        if let Some(evicted) = event.get_mut("evicted").filter(|evicted| evicted.is_object()) {
            evicted["at"] = json!(0);
        }
        Some(event)
    };
    let expected: Vec<Value> =
        whole["events"].as_array().expect("events").iter().cloned().filter_map(shift).collect();
    assert!(expected.len() > 8, "{expected:?}");
    assert_eq!(resumed["events"], json!(expected));
    assert_eq!(resumed["final"], whole["final"]);
}

#[test]
fn bounds_hold_at_the_limit_and_one_past_it() {
    let text = "pool a 1x8 H100\nquota Q 8 pool=a\nat 0s submit x Q training p1 1x8 for 1h\n";
    let scenario = language::parse(text).expect("it reads");
    let run = |bounds| run_within(&scenario, text, None, bounds);
    let events = run(Bounds::default()).expect("it runs").events.len() as u64;
    assert!(run(Bounds { events: Some(events), ..Bounds::default() }).is_ok());
    let cut = run(Bounds { events: Some(events - 1), ..Bounds::default() });
    assert!(matches!(cut, Err(SimError::Run(RunError::TooLong { .. }))), "{cut:?}");
    assert!(run(Bounds { time: Some(Span::hours(1)), ..Bounds::default() }).is_ok());
    let cut = run(Bounds { time: Some(Span(Span::hours(1).0 - 1)), ..Bounds::default() });
    assert!(matches!(cut, Err(SimError::Run(RunError::TooLong { .. }))), "{cut:?}");
    let cut = run(Bounds { cut: Some(std::sync::Arc::new(true.into())), ..Bounds::default() });
    assert!(matches!(cut, Err(SimError::Run(RunError::Cut { .. }))), "{cut:?}");
}

#[test]
fn ended_work_and_gaps_in_numbers_do_no_harm() {
    let text = BEFORE.replace("at 40m", "at 30m quota gone 0 parent=Q\nat 31m delete gone\nat 40m");
    let whole = simulate(text.as_bytes()).expect("it runs");
    let rest = "at 0s quota new 0 parent=Q\nat 1m stop y\nat 2m submit again R training p1 1x8 for 1m\n";
    let resumed = resume(in_the_middle(&whole), rest, Bounds::default()).expect("it runs");
    let told = document(&resumed.report);
    let created = told["events"].as_array().expect("events").iter().find(|event| event["event"] == "created");
    assert_eq!(created.map(|event| &event["quota"]), Some(&json!("new")), "{told}");
    assert_eq!(told["final"]["workloads"]["again"]["state"], "finished", "{told}");
}
