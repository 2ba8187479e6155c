//! Instructions of one decision, counted by valgrind: the same program again, with one decision in view.

use crate::admit::Office;
use crate::bench::Bench;
use crate::cluster::measured_decision;
use crate::preempt::Herd;
use crate::samples::thousands;
use crate::table::Measure;
use std::process::Command;

/// Decisions that are counted together.
const DECISIONS: u32 = 20;
/// Where the count is taken: calls of `cluster::measured_decision`.
const FRAME: &str = "*measured_decision*";
/// The argument under which the program only decides: followed by `admit`, or by `preempt`, candidates,
/// victims and GPUs of a replica.
pub const ARGUMENT: &str = "--decide";

pub fn run(bench: &mut Bench) {
    let sizes: [u32; 2] = if bench.quick { [1_600, 10_000] } else { [16_000, 100_000] };
    let mut counts = Vec::new();
    for candidates in sizes {
        bench.progress(&format!("instructions: {} candidates, under valgrind", thousands(candidates.into())));
        match count(candidates) {
            Ok(count) => counts.push(count),
            Err(why) => {
                bench.table.note(format!("instructions: not counted, {why}"));
                return;
            }
        }
    }
    let [few, many] = counts[..] else { return };
    let ratio = many / few;
    bench.table.row(
        format!(
            "instructions for one victim, {} against {} candidates",
            thousands(sizes[1].into()),
            thousands(sizes[0].into())
        ),
        format!("{} / {}", thousands(many as u64), thousands(few as u64)),
        Measure::target(format!("{ratio:.2} x"), "<= 1.5 x", ratio <= 1.5),
    );
}

/// Runs this program under valgrind: instructions of one decision on average.
fn count(candidates: u32) -> Result<f64, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    valgrind.arg(format!("--toggle-collect={FRAME}")).arg(program).args([
        ARGUMENT,
        "preempt",
        &candidates.to_string(),
        "1",
        "1",
    ]);
    let output = valgrind.output().map_err(|error| format!("valgrind: {error}"))?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let collected =
        text.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse::<f64>().ok());
    collected.map(|n| n / f64::from(DECISIONS)).ok_or_else(|| format!("valgrind said: {}", text.trim()))
}

/// What runs under valgrind: a few decisions of one kind. False if there is no such kind.
pub fn decide(arguments: &[String]) -> bool {
    let numbers: Vec<u32> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    match (arguments.first().map(String::as_str), &numbers[..]) {
        (Some("admit"), []) => {
            let mut office = Office::large();
            (0..DECISIONS).for_each(|_| office.admit());
        }
        (Some("preempt"), &[candidates, victims, gpus]) => {
            let mut herd = Herd::new(candidates);
            for _ in 0..DECISIONS {
                let command = herd.gang(victims, gpus);
                let events = measured_decision(&mut herd.cluster.engine, herd.cluster.now, command);
                herd.undo(&events);
                herd.replace(8);
            }
        }
        _ => return false,
    }
    true
}
