//! docs/worked-example.md, followed by command line and by curl: both lead to the same books.

mod common;
mod page;

const PAGE: &str = "docs/worked-example.md";

#[test]
fn the_page_is_true_by_command_line_and_by_curl() {
    let curl = std::process::Command::new("curl").arg("--version").output();
    assert!(curl.is_ok(), "curl is missing: `apt install curl`, or `scripts/test.sh` where it may install");
    let by_command_line = page::follow(PAGE, Some("cli"));
    let by_curl = page::follow(PAGE, Some("curl"));
    assert!(by_command_line.len() >= 5, "each part is looked at");
    for (one, other) in by_command_line.iter().zip(&by_curl) {
        assert_eq!(one, other, "the two ways differ after {:?}", one.part);
    }
    assert_eq!(by_command_line.len(), by_curl.len());
    ends_as_it_should(&by_command_line);
}

/// What the scenes come to, whatever the page shows.
fn ends_as_it_should(seen: &[page::Seen]) {
    let part = |name: &str| seen.iter().find(|seen| seen.part.starts_with(name)).expect("a part of the page");
    let guarantees = |name: &str| -> Vec<String> {
        let books = part(name).books.as_array().expect("a list").clone();
        books.iter().map(|book| format!("{} {}", book["quota"], book["guarantee"]["gpu"])).collect()
    };
    let before = ["\"main\" 8", "\"Quota1\" 128", "\"Quota1.1\" 48", "\"Quota1.2\" 80"];
    assert_eq!(guarantees("The work"), before);
    assert_eq!(guarantees("Scene 1"), before);
    assert_eq!(guarantees("Scene 2"), ["\"main\" 8", "\"Quota1\" 128", "\"Quota1.1\" 56", "\"Quota1.2\" 72"]);
    let states = part("Scene 1").states.as_array().expect("a list").clone();
    let evicted = |name: &str| {
        states.iter().find(|state| state["workload"] == name).map(|state| state["preemptions"].clone())
    };
    for (name, times) in
        [("c-tune", 1), ("b-note", 1), ("c-note1", 1), ("c-note2", 1), ("b-train", 0), ("c-serve", 0)]
    {
        assert_eq!(evicted(name), Some(times.into()), "{name}");
    }
    let states = part("Scene 3").states.as_array().expect("a list").clone();
    let state = |name: &str| {
        states.iter().find(|state| state["workload"] == name).map(|state| state["state"].clone())
    };
    assert_eq!(state("b-eval"), Some("running".into()), "on what the transfer gave to team B");
    assert_eq!(state("c-eval"), Some("queued".into()), "nobody but team C can touch it");
}
