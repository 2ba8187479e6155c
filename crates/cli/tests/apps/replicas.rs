//! Requests go to replicas that are ready, in turn, and to nobody who leaves.

use super::House;
use super::common::until;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

#[test]
fn requests_are_spread_over_all_replicas() {
    let mut house = House::new();
    house.service("web", 3);
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for _ in 0..30 {
        *counts.entry(house.get("/default/web/who").text()).or_default() += 1;
    }
    assert_eq!(counts.values().copied().collect::<Vec<u32>>(), [10, 10, 10], "{counts:?}");
    // Who is busy gets less: two wait, so all others go to the third.
    let (apps, token) = (house.apps.clone(), house.server.token.clone());
    let waiting: Vec<_> = (0..2)
        .map(|_| {
            let (apps, token) = (apps.clone(), token.clone());
            let head = format!("GET /default/web/wait?for=go\nAuthorization: Bearer {token}");
            std::thread::spawn(move || super::ask(&apps, &head).text())
        })
        .collect();
    let directory = house.directory("web");
    let busy = || (0..3).filter(|n| directory.join(format!("waiting-{n}")).exists()).count();
    until(|| (busy() == 2).then_some(()));
    let free: Vec<String> = (0..6).map(|_| house.get("/default/web/who").text()).collect();
    assert!(free.iter().all(|who| *who == free[0]), "{free:?}");
    house.note("web", "go");
    let waited: Vec<String> = waiting.into_iter().map(|w| w.join().expect("it ends")).collect();
    assert!(!waited.contains(&free[0]) && waited[0] != waited[1], "{waited:?} {free:?}");
}

#[test]
fn who_is_not_ready_gets_nothing_and_it_is_said_why() {
    let mut house = House::new();
    house.submit("web", "service", &["--replicas", "2", "--ready-path", "/health"], &[]);
    let problem = until(|| {
        let answer = house.get("/default/web/who");
        assert_eq!(answer.status, 503, "{answer:?}");
        let problem = answer.json();
        let detail = problem["detail"].as_str().expect("a detail").to_string();
        detail.contains("answers 500").then_some((problem, answer))
    });
    assert_eq!(problem.0["code"], "none-ready");
    assert_eq!(problem.0["detail"], "2 replicas starting; readiness /health answers 500");
    assert_eq!(problem.1.header("retry-after"), Some("2"));
    let shown = house.server.run(&["show", "web"]).ok();
    assert!(shown.contains("not ready for") && shown.contains("readiness /health answers 500"), "{shown}");
    assert!(shown.contains("0 of 2") && shown.contains("url"), "{shown}");
    let listed = house.server.run(&["list", "web"]).ok();
    assert!(listed.contains("0 of 2 replicas ready"), "{listed}");
    house.note("web", "ready-1");
    house.until_ready("web", 1);
    for _ in 0..10 {
        assert_eq!(house.get("/default/web/who").text(), "1");
    }
    assert!(house.server.run(&["list", "web", "-o", "wide"]).ok().contains("1/2"));
    house.note("web", "ready");
    house.until_ready("web", 2);
    // Who was ready and is not any more gets nothing again.
    std::fs::remove_file(house.directory("web").join("ready")).expect("removed");
    house.until_ready("web", 1);
    let status = house.status("web");
    let seen = |n: usize| status["placements"][n]["readiness"]["ready"] == true;
    assert_eq!((seen(0), seen(1)), (false, true), "{status}");
    assert_eq!(house.get("/default/web/who").text(), "1");
}

#[test]
fn a_port_that_opens_late_is_waited_for() {
    let mut house = House::new();
    house.submit("web", "service", &[], &["late"]);
    let answer = house.get("/default/web/who");
    assert_eq!(answer.status, 503, "{answer:?}");
    let first = until(|| {
        let status = house.status("web");
        let seen = &status["placements"][0]["readiness"];
        let reason = seen["reason"].as_str()?;
        reason.contains("nobody listens on port").then(|| seen["since"].clone())
    });
    assert_eq!(house.status("web")["placements"][0]["readiness"]["since"], first, "since it was started");
    house.note("web", "open-up");
    house.until_ready("web", 1);
    assert_eq!(house.get("/default/web/who").text(), "0");
}

#[test]
fn no_request_is_lost_while_replicas_come_and_go() {
    let mut house = House::new();
    house.service("web", 3);
    let (stop, done) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU32::new(0)));
    let callers: Vec<_> = (0..4)
        .map(|_| {
            let (stop, done) = (stop.clone(), done.clone());
            let (apps, token) = (house.apps.clone(), house.server.token.clone());
            std::thread::spawn(move || {
                let mut wrong = Vec::new();
                while !stop.load(Ordering::Relaxed) {
                    let head = format!("GET /default/web/nap\nAuthorization: Bearer {token}");
                    let answer = super::ask(&apps, &head);
                    if answer.status != 200 || !answer.is_whole {
                        wrong.push(format!("{} {}", answer.status, answer.text()));
                    }
                    done.fetch_add(1, Ordering::Relaxed);
                }
                wrong
            })
        })
        .collect();
    let some_more = |count: u32| {
        let from = done.load(Ordering::Relaxed);
        until(|| (done.load(Ordering::Relaxed) >= from + count).then_some(()));
    };
    for replicas in ["1", "3", "2", "1"] {
        some_more(20);
        house.server.run(&["resize", "web", replicas]).ok();
        let wanted: u32 = replicas.parse().expect("a number");
        until(|| {
            let counts = &house.status("web")["replicas"];
            (counts["running"] == wanted && counts["leaving"] == 0 && counts["ready"] == wanted).then_some(())
        });
    }
    some_more(20);
    stop.store(true, Ordering::Relaxed);
    let wrong: Vec<String> = callers.into_iter().flat_map(|c| c.join().expect("it ends")).collect();
    assert!(wrong.is_empty(), "{} of {}: {wrong:?}", wrong.len(), done.load(Ordering::Relaxed));
}

#[test]
fn who_is_asked_to_leave_finishes_what_it_has() {
    let mut house = House::new();
    house.service("web", 1);
    let (apps, token) = (house.apps.clone(), house.server.token.clone());
    let waiting = std::thread::spawn(move || {
        super::ask(&apps, &format!("GET /default/web/wait?for=go\nAuthorization: Bearer {token}"))
    });
    let directory = house.directory("web");
    until(|| directory.join("waiting-0").exists().then_some(()));
    house.server.run(&["stop", "web"]).ok();
    house.server.wait_for("web", "leaving");
    // Nobody new is sent there.
    let refused = until(|| {
        let answer = house.get("/default/web/who");
        (answer.status == 503).then(|| answer.text())
    });
    assert!(refused.contains("leaving"), "{refused}");
    house.note("web", "go");
    let waited = waiting.join().expect("it ends");
    assert_eq!((waited.status, waited.text().as_str()), (200, "0"));
    house.server.wait_for("web", "stopped");
    let gone = house.get("/default/web/who");
    assert!(gone.status == 404 && gone.text().contains("web is stopped"), "{gone:?}");
}

#[test]
fn a_server_that_was_killed_finds_who_can_be_reached() {
    let mut house = House::new();
    house.service("web", 2);
    house.server.crash_and_restart();
    house.until_ready("web", 2);
    let url = house.status("web")["url"].as_str().expect("an address").to_string();
    let apps = url.trim_start_matches("http://").split('/').next().expect("a host").to_string();
    house.apps = apps;
    let mut seen: Vec<String> = (0..4).map(|_| house.get("/default/web/who").text()).collect();
    seen.sort();
    assert_eq!(seen, ["0", "0", "1", "1"]);
}
