//! `tidegate usage`, `price` and `bill`, with a real server.

mod common;

use common::Server;

#[test]
fn prices_are_made_set_and_shown_and_bills_go_by_them() {
    let server = Server::start();
    let create = ["price", "create", "default", "--currency", "EUR", "--price", "quota:gpu:virtual=2.50"];
    let free = ["--price", "quota:cpu=0", "--price", "quota:memory=0", "--idle-discount", "quota=60"];
    server.run(&["bill"]).fails(3, "there is no price book");
    server
        .run(&["price", "create", "x", "--currency", "EUR", "--price", "quota"])
        .fails(2, "MODE:RESOURCE=PRICE");
    server
        .run(&["price", "create", "x", "--currency", "EUR", "--price", "quota:gpu:none=1"])
        .fails(3, "no pool has");
    let dry = server.run(&[&create[..], &free, &["--dry-run"]].concat());
    assert!(dry.out.contains("default created") && dry.err.contains("nothing was changed"), "{dry:?}");
    assert_eq!(server.run(&[&create[..], &free].concat()).ok(), "default created\n");
    server.run(&create).fails(4, "there is a price book default already");
    assert_eq!(server.run(&["price", "list", "-o", "name"]).ok(), "default\n");
    server.run(&["price", "set", "default"]).fails(2, "nothing is to be set");
    let past = ["price", "set", "default", "--price", "quota:cpu=1", "--from", "2020-01-01T00:00:00Z"];
    assert_ne!(server.run(&past).code, 0, "not in the past");
    let later = ["price", "set", "default", "--price", "quota:cpu=1", "--from", "2090-01-01T00:00:00Z"];
    assert_eq!(server.run(&later).ok(), "default set\n");
    let shown = server.run(&["price", "show", "default"]).ok();
    assert!(shown.contains("gpu:virtual") && shown.contains("60%"), "{shown}");
    let yaml = server.run(&["price", "show", "default", "-o", "yaml"]).ok();
    assert_eq!(server.run_with(&["apply", "-f", "-"], &yaml).code, 0, "what is shown can be applied");
    server.run(&["submit", "--name", "a", "--gpus", "2", "--grace", "0s"]).ok();
    server.run(&["stop", "a"]).ok();
    let correct = ["usage", "correct", "--workspace", "default", "--user", "admin", "--quota", "main"];
    let what = ["--resource", "gpu:virtual", "--hours=4", "--at", "0s", "--reason", "a test"];
    assert_eq!(
        server.run(&[&correct[..], &what].concat()).ok(),
        "cor-0: 4.000 hours of gpu:virtual for admin in default\n"
    );
    let bill = server.run(&["bill", "--since", "1h", "--lines", "-o", "json"]).json();
    let lines = bill["lines"].as_array().expect("lines");
    assert!(lines.iter().any(|line| line["correction"] == "cor-0" && line["cost"] == "10.00"), "{bill}");
    assert!(server.run(&["bill", "--since", "1h"]).ok().contains("correction cor-0"));
    let csv = server.run(&["bill", "--since", "1h", "--step", "10m", "-o", "csv"]).ok();
    assert!(csv.starts_with("from,to,workspace,") && csv.contains(",10.00,EUR,cor-0\n"), "{csv}");
    assert!(server.run(&["bill", "--since", "1h", "--step", "10m"]).ok().contains("LINE  FROM"));
    server.run(&["bill", "--step", "never"]).fails(2, "step");
    server.run(&["bill", "--lines", "-o", "csv"]).fails(2, "expand");
    assert!(server.run(&["usage", "corrections", "--since", "1h"]).ok().contains("a test"));
}

#[test]
fn use_is_a_report_a_table_a_document_and_lines() {
    let server = Server::start();
    assert_eq!(server.run(&["usage"]).ok(), "", "nothing runs or waits");
    server.run(&["submit", "--name", "a", "--gpus", "2", "--grace", "0s"]).ok();
    assert!(server.run(&["usage"]).ok().contains("admin"));
    assert!(server.run(&["usage", "--quota", "main"]).ok().contains("total"));
    let report = server.run(&["usage", "report", "--since", "1h", "--by", "user,class"]).ok();
    assert!(report.starts_with("USER   CLASS  RESOURCE") && report.contains("gpu:virtual"), "{report}");
    server.run(&["usage", "report", "--by", "mood"]).fails(2, "groupBy");
    server.run(&["usage", "report", "--month", "soon"]).fails(2, "no month");
    server.run(&["stop", "a"]).ok();
    let csv = server.run(&["usage", "records", "--since", "1h", "-o", "csv"]).ok();
    assert!(csv.starts_with("id,workload,") && csv.lines().count() > 1, "{csv}");
    let lines = server.run(&["usage", "records", "--since", "1h", "-o", "jsonl"]).ok();
    assert_eq!(lines.lines().count(), csv.lines().count() - 1);
    let records = server.run(&["usage", "records", "--since", "1h", "-o", "json"]).json();
    assert_eq!(records["items"][0]["workload"], "a", "{records}");
    assert!(server.run(&["usage", "records", "--since", "1h"]).ok().starts_with("RECORD"));
}
