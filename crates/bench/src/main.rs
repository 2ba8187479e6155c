//! Prints one table: how long decisions take, and how good they are.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tidegate_bench::bench::Bench;
use tidegate_bench::clock::Stopwatch;
use tidegate_bench::memory::{self, Chill};
use tidegate_bench::table::{Measure, Table};
use tidegate_bench::{
    admit, backlog, bill, booking, flow, instructions, openb, philly, preempt, process, reclaim, refuse,
    service,
};

/// Where the traces of real clusters are.
const TRACES: &str = "TIDEGATE_TRACES";

/// A benchmark by its name.
type Section = (&'static str, fn(&mut Bench));

const SECTIONS: [Section; 23] = [
    // First, while the heap is fresh: it measures memory.
    ("backlog", backlog::run),
    ("admit", admit::run),
    ("preempt", preempt::run),
    ("reclaim-pass", reclaim::run_pass),
    ("reclaim-gang", reclaim::run_gang),
    ("refuse", refuse::run),
    ("flow", flow::run),
    ("philly", run_philly),
    ("openb", run_openb),
    ("instructions", instructions::run),
    ("booking", booking::run),
    ("bill", bill::run),
    ("submit", service::submit::run),
    ("latency", service::latency::run),
    ("startup", service::startup::run),
    ("watch", service::watch::run),
    ("scrape", service::scrape::run),
    ("teams", service::teams::run),
    ("started", process::started::run),
    ("supervisor", process::supervisor::run),
    ("jobs", process::jobs::run),
    ("proxy", process::proxy::run),
    ("warm", process::warm::run),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == process::proxy::ARGUMENT) {
        return process::proxy::serve(&arguments[1..]).map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS);
    }
    if arguments.first().is_some_and(|first| first == process::warm::ARGUMENT) {
        return process::warm::work().map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS);
    }
    if arguments.first().is_some_and(|first| first == instructions::ARGUMENT) {
        return if instructions::decide(&arguments[1..]) { ExitCode::SUCCESS } else { ExitCode::from(2) };
    }
    let mut quick = false;
    let mut names = Vec::new();
    for argument in arguments {
        match argument.as_str() {
            "--quick" => quick = true,
            "--list" => {
                for (name, _) in SECTIONS {
                    println!("{name}");
                }
                return ExitCode::SUCCESS;
            }
            name if SECTIONS.iter().any(|section| section.0 == name) => names.push(argument),
            other => {
                eprintln!("{other}: neither --quick, --list nor the name of a benchmark");
                return ExitCode::from(2);
            }
        }
    }
    let watch = Stopwatch::new();
    eprintln!("dependent loads ...");
    let first = memory::dependent_load(&watch);
    let mut bench =
        Bench { watch, chill: Chill::new(), quick, table: Table::default(), beside_backlog: None };
    for (name, run) in SECTIONS {
        if names.is_empty() || names.iter().any(|wanted| wanted == name) {
            run(&mut bench);
        }
    }
    let last = memory::dependent_load(&watch);
    let load = (first + last) / 2.0;
    bench.table.note(format!(
        "A dependent load takes {load:.1} ns: {first:.1} ns before, {last:.1} ns after (random cycle over 256 MiB)."
    ));
    bench.table.note(format!(
        "Cold: {} MiB were written and read before each sample. The clock's own {:.0} ns are subtracted.",
        bench.chill.bytes() >> 20,
        watch.overhead
    ));
    println!("{}", bench.table.render(load));
    ExitCode::SUCCESS
}

/// Runs what needs a trace, or says why not.
fn with_traces<T>(
    bench: &mut Bench,
    name: &str,
    run: impl FnOnce(&mut Bench, &Path) -> io::Result<T>,
) -> Option<T> {
    let Some(traces) = std::env::var_os(TRACES).map(PathBuf::from) else {
        bench.table.note(format!("{name}: skipped, {TRACES} does not name the folder with the traces"));
        return None;
    };
    match run(bench, &traces) {
        Ok(value) => Some(value),
        Err(error) => {
            bench.table.note(format!("{name}: not finished, {error}"));
            None
        }
    }
}

fn run_philly(bench: &mut Bench) {
    with_traces(bench, "philly", philly::run);
}

fn run_openb(bench: &mut Bench) {
    bench.progress("openb");
    let rows = with_traces(bench, "openb", |bench, traces| openb::run(&bench.watch, traces));
    for row in rows.unwrap_or_default() {
        let figure = format!(
            "{:.2} % (sd {:.2}), {:.0} ms for {:.0} pods",
            row.mean,
            row.sd,
            row.seconds * 1e3,
            row.pods
        );
        let ratio = format!("published {:.2} %, best fit {:.2} %", row.gradient_descent, row.best_fit);
        let measure = match row.mix {
            "default" => Measure::target(ratio, ">= 95.3 %", row.mean >= 95.3),
            _ => Measure::plain(ratio),
        };
        bench.table.row(format!("openb at 130 %, mix {}, mean of 10 seeds", row.mix), figure, measure);
    }
}
