//! One line for each way to get a line wrong: where the error points, and what it expects.

use tidegate_sim::language::{MAX_BYTES, MAX_LINES, MAX_NODES, parse};

/// The file with `|` where the error should point, and a part of its message.
#[track_caller]
fn check(marked: &str, message: &str) {
    let at = marked.find('|').expect("a mark");
    let text = marked.replacen('|', "", 1);
    let before = &text[..at];
    let line = before.matches('\n').count() as u32 + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() as u32 + 1;
    let error = parse(&text).expect_err(marked);
    assert_eq!((error.place.line, error.place.column), (line, column), "{marked}\n{error}");
    assert!(error.to_string().contains(message), "{marked}\n{error}");
}

#[test]
fn files() {
    check("|foo", "expected pool, quota or at, found \"foo\"");
    check("at 0s show\n|pool h 1x8 H", "expected at (declarations come before the first at), found \"pool\"");
    check("at 0s show\n|foo", "expected at, found \"foo\"");
    check("at 1h show\nat |59m show", "expected a time that does not go back, found \"59m\"");
    check("at|", "expected a time such as 0s or 1h30m, found the end of the line");
    check("at |soon show", "expected a duration such as");
    check("at |-1s show", "expected a duration");
    check("at 0s|", "expected submit, finish");
    check("at 0s |dance", "expected submit, finish");
    check("at 0s show |me", "expected the end of the line");
    check("at 0s preview |show", "expected submit, finish");
    check("at 0s preview |preview stop a", "expected submit, finish");
}

#[test]
fn declarations() {
    check("pool|", "expected the name of a pool");
    check("pool h |16", "expected NODESxGPUS");
    check("pool h |-1x8 H", "expected nodes, a whole number");
    check("pool h 1x|4097 H", "expected GPUs of one node");
    check("pool h 1x8|", "expected a GPU model");
    check("pool h 1x8 |cpu=4", "expected a GPU model");
    check("pool h 1x8 H |cpus=4", "expected cpu=, memory= or kind=");
    check("pool h 1x8 H memory=|4", "expected a size");
    check("pool h 1x8 H memory=|9999999999999T", "expected a size");
    check("pool h 1x8 H kind=|special", "expected general or lingjun");
    check("pool h 1x8 H cpu=1 |cpu=2", "expected every option once");
    check("quota Q |-5 pool=h", "expected GPUs");
    check("quota Q |99999999999999999999 pool=h", "expected GPUs");
    check("quota Q |0.0001 pool=h", "expected GPUs");
    check("quota Q H:4,|8 pool=h", "expected MODEL:GPUS");
    check("quota Q H:4,|H:8 pool=h", "expected every GPU model once");
    check("quota Q 4|", "expected pool=POOL or parent=QUOTA");
    check("quota Q 4 pool=h |parent=P", "expected either pool= or parent=");
    check("quota Q 4 pool=|", "expected a value for pool");
    check("quota Q 4 pool=h child=|1-3", "expected PRIORITIES:MODULES or off");
    check("quota Q 4 pool=h child=|0-3:training", "expected a priority from 1 to 9, found \"0\"");
    check("quota Q 4 pool=h child=1,|10:training", "expected a priority from 1 to 9, found \"10\"");
    check("quota Q 4 pool=h child=|3-1:training", "expected a range from the lower");
    check("quota Q 4 pool=h child=1-3:training,|dance", "expected a module");
    check(
        "quota Q 4 pool=h child=1-3:|",
        "expected a module (training or DLC, notebook or DSW, service or EAS, task), found nothing",
    );
    check("quota Q 4 pool=h self=|4:training", "expected HIGH>LOW:MODULES[:SCOPE] or off");
    check("quota Q 4 pool=h self=6>4:training:|all", "expected a scope");
    check("quota Q 4 pool=h queue=|lifo", "expected a strategy");
    check("quota Q 4 pool=h idle-sharing=|maybe", "expected on or off");
    check("quota Q 4 pool=h |colour=red", "expected pool=, parent=, cpu=");
}

#[test]
fn submissions() {
    check("at 0s submit|", "expected the name of a workload");
    check("at 0s submit a Q |trainin p1 1x8", "expected a module");
    check("at 0s submit a Q training |p0 1x8", "expected a priority, p1 to p9, found \"p0\"");
    check("at 0s submit a Q training |p10 1x8", "expected a priority, p1 to p9");
    check("at 0s submit a Q training |5 1x8", "expected a priority, p1 to p9");
    check("at 0s submit a Q training p1|", "expected REPLICASxGPUS");
    check("at 0s submit a Q training p1 |8", "expected REPLICASxGPUS");
    check("at 0s submit a Q training p1 |-1x8", "expected replicas, a whole number");
    check("at 0s submit a Q training p1 1x|-8", "expected GPUs of one replica");
    check("at 0s submit a Q training p1 1x|99999999999", "expected GPUs of one replica");
    check("at 0s submit a Q training p1 |99999999999x1", "expected replicas");
    check("at 0s submit a Q training p1 1x8 for|", "expected a duration");
    check("at 0s submit a Q training p1 1x8 for |ever", "expected a duration");
    check("at 0s submit a Q training p1 1x8 |for=1h", "expected for DUR");
    check("at 0s submit a Q training p1 1x8 |min", "expected min=VALUE");
    check("at 0s submit a Q training p1 1x8 idle=|sometimes", "expected never, accept or only");
    check("at 0s submit a Q training p1 1x8 checkpoint=|often", "expected a duration such as 1h, or suspend");
    check("at 0s submit a Q training p1 1x8 checkpoint=|0s", "expected a duration above zero");
    check("at 0s submit a Q training p1 roles=1x8+|2", "expected REPLICASxGPUS");
    check("at 0s submit a Q training p1 1x8 model=H,|", "expected GPU models");
    check("at 0s submit a Q training p1 1x8 |fast", "expected for DUR, min=");
}

#[test]
fn other_changes() {
    check("at 0s finish|", "expected the name of a workload");
    check("at 0s priority a |9", "expected a priority, p1 to p9");
    check("at 0s resize a |many", "expected replicas");
    check("at 0s transfer 8 A|", "expected the quota that receives");
    check("at 0s transfer 8 A B |gently", "expected a mode (refuse, drain, evict)");
    check("at 0s scale Q 8 drain |evict", "expected cpu=, memory= or the end of the line");
    check("at 0s set Q|", "expected child=");
    check("at 0s set Q |fast", "expected child=");
    check("at 0s node n |asleep", "expected lost, ready, cordoned or drain");
}

#[test]
fn limits_hold_at_the_limit_and_not_one_past_it() {
    let nodes = |count: u32| format!("pool h {count}x8 H\n");
    assert!(parse(&nodes(MAX_NODES)).is_ok());
    assert!(parse(&nodes(MAX_NODES + 1)).is_err());
    assert!(parse(&(nodes(MAX_NODES) + &nodes(1))).is_err());

    let lines = |count: u32| "at 0s show\n".repeat(count as usize);
    assert!(parse(&lines(MAX_LINES)).is_ok());
    assert!(parse(&lines(MAX_LINES + 1)).is_err());

    assert!(parse(&"#".repeat(MAX_BYTES)).is_ok());
    assert!(parse(&"#".repeat(MAX_BYTES + 1)).is_err());
}
