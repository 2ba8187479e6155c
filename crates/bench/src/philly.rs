//! Microsoft's Philly trace: what lending and recall do for fifteen teams.

use crate::bench::Bench;
use crate::cluster::Cluster;
use crate::drive::{Course, Job, Outcome, drive};
use crate::samples::thousands;
use crate::table::Measure;
use crate::trace;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use tidegate_check::Checker;
use tidegate_engine::ids::{QuotaId, Span, Tick};
use tidegate_engine::policy::{Policy, QueuePolicy};
use tidegate_engine::resources::{Shape, WHOLE};
use tidegate_engine::words::{IdleUse, Module, Strategy};
use tidegate_engine::workload::{Role, WorkloadSpec};

const GPUS: u32 = 768;
/// A job that ends more milliseconds later than under static quotas is worse off.
const WORSE: u64 = 60_000;

/// A row of the trace.
#[derive(Clone, Debug)]
struct Entry {
    arrives: Tick,
    runs: u64,
    gpus: u32,
    team: usize,
}

#[derive(Clone, Debug)]
struct Trace {
    entries: Vec<Entry>,
    /// GPUs of each team.
    quotas: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lending {
    Static,
    Borrow,
    Recall,
}

pub fn run(bench: &mut Bench, traces: &Path) -> io::Result<()> {
    let trace = Trace::read(&traces.join("philly/philly.csv"))?;
    for (nodes, gpus) in [(1, GPUS), (GPUS / 8, 8)] {
        let pool = if nodes == 1 { "one node of 768".to_owned() } else { format!("{nodes} nodes of {gpus}") };
        let mut alone: Option<Vec<Course>> = None;
        for lending in [Lending::Static, Lending::Borrow, Lending::Recall] {
            bench.progress(&format!("philly: {lending:?} on {pool}"));
            let (seconds, outcome) = trace.replay(bench, nodes, gpus, lending, false);
            let seen = Seen::of(&outcome, &trace, alone.as_deref());
            row(bench, &pool, lending, seconds, &seen);
            alone.get_or_insert(outcome.courses);
        }
        bench.progress(&format!("philly: with the checker on {pool}"));
        let (seconds, outcome) = trace.replay(bench, nodes, gpus, Lending::Recall, true);
        let verdict = outcome.violation.clone().unwrap_or_else(|| "no violation".into());
        bench.table.row(
            format!("philly: borrow + recall, checked, {pool}"),
            format!("{verdict}; {seconds:.2} s of CPU"),
            Measure::target(String::new(), "no violation", outcome.violation.is_none()),
        );
    }
    Ok(())
}

fn row(bench: &mut Bench, pool: &str, lending: Lending, seconds: f64, seen: &Seen) {
    let name = match lending {
        Lending::Static => "static quotas",
        Lending::Borrow => "borrow, never reclaimed",
        Lending::Recall => "borrow + recall",
    };
    let figure = format!(
        "mean wait {} s, {} end later, {} evictions, {seconds:.2} s of CPU",
        thousands(seen.wait.round() as u64),
        thousands(seen.later as u64),
        thousands(seen.evictions),
    );
    let (published, target) = match (lending, pool.starts_with("one")) {
        (_, false) => ("", ""),
        (Lending::Static, _) => ("simulator: 189,973 s", "all end; CPU <= 0.2 s"),
        (Lending::Borrow, _) => ("simulator: 804 s, 1,654 wait longer", "all end; CPU <= 0.2 s"),
        (Lending::Recall, _) => ("simulator: 663 s, 0, 1,968", "all end; <= 663 s; 0 later; CPU <= 0.2 s"),
    };
    let mut missed = Vec::new();
    let strict = lending == Lending::Recall;
    for (what, broken) in [
        (format!("{} do not end", seen.unended), seen.unended > 0),
        ("wait".to_owned(), strict && seen.wait > 663.0),
        ("later".to_owned(), strict && seen.later > 0),
        ("CPU".to_owned(), seconds > 0.2),
    ] {
        if broken {
            missed.push(what);
        }
    }
    let shape = format!("philly: {name}, {pool}");
    if target.is_empty() {
        bench.table.row(shape, figure, Measure::plain(published));
        return;
    }
    let ratio = if missed.is_empty() {
        published.to_owned()
    } else {
        format!("{published}; missed: {}", missed.join(", "))
    };
    bench.table.row(shape, figure, Measure::target(ratio, target, missed.is_empty()));
}

/// What counts of a replay.
#[derive(Clone, Debug)]
struct Seen {
    /// Seconds from arrival to first start, on average.
    wait: f64,
    later: usize,
    evictions: u64,
    unended: usize,
}

impl Seen {
    fn of(outcome: &Outcome, trace: &Trace, alone: Option<&[Course]>) -> Seen {
        let waits = outcome.courses.iter().zip(&trace.entries);
        let waits =
            waits.filter_map(|(course, entry)| Some(course.started?.since(entry.arrives).0 as f64 / 1e3));
        let wait = waits.sum::<f64>() / trace.entries.len() as f64;
        let later = alone.map_or(0, |alone| {
            let pairs = outcome.courses.iter().zip(alone);
            pairs
                .filter(
                    |(now, then)| matches!((now.ended, then.ended), (Some(n), Some(t)) if n.0 > t.0 + WORSE),
                )
                .count()
        });
        let unended = outcome.courses.iter().filter(|course| course.ended.is_none()).count();
        Seen { wait, later, evictions: outcome.evictions, unended }
    }
}

impl Trace {
    fn read(file: &Path) -> io::Result<Trace> {
        let mut rows = Vec::new();
        for row in trace::rows(file)? {
            let [at, runs, gpus, _, team] = trace::columns(&row)?;
            let runs = (trace::number::<f64>(runs)? * 1e3).round() as u64;
            rows.push((trace::seconds(at)? * 1_000, runs, trace::number::<u32>(gpus)?, team.to_owned()));
        }
        rows.sort();
        // Teams are numbered in order of appearance.
        let mut teams: BTreeMap<String, usize> = BTreeMap::new();
        let mut entries = Vec::with_capacity(rows.len());
        for (at, runs, gpus, team) in rows {
            let next = teams.len();
            let team = *teams.entry(team).or_insert(next);
            entries.push(Entry { arrives: Tick(at), runs, gpus, team });
        }
        let first = entries.first().map_or(0, |entry| entry.arrives.0);
        for entry in &mut entries {
            entry.arrives.0 -= first;
        }
        let quotas = quotas(&entries, teams.len());
        Ok(Trace { entries, quotas })
    }

    /// CPU seconds, and what happened.
    fn replay(&self, bench: &Bench, nodes: u32, gpus: u32, lending: Lending, check: bool) -> (f64, Outcome) {
        let mut cluster = Cluster::watched(nodes, gpus, check.then(Checker::new));
        let queue = QueuePolicy { strategy: Strategy::Fifo, ..QueuePolicy::default() };
        let root = cluster.root(GPUS, Policy::default());
        let teams: Vec<QuotaId> = self
            .quotas
            .iter()
            .map(|gpus| cluster.child(root, *gpus, Policy { queue, ..Policy::default() }))
            .collect();
        let jobs = self.entries.iter().enumerate().map(|(i, entry)| {
            let mut spec = specification(i, teams[entry.team], entry.gpus, gpus);
            spec.suspend = true;
            spec.grace = Span::ZERO;
            spec.idle = match lending {
                Lending::Static => IdleUse::Never,
                // Where nobody insists on an account of his own, nobody takes anything back.
                Lending::Borrow => IdleUse::Only,
                Lending::Recall => IdleUse::Accept,
            };
            Job { arrives: entry.arrives, runs: entry.runs, spec }
        });
        let jobs: Vec<Job> = jobs.collect();
        let (mut engine, checker) = (cluster.engine, cluster.witness);
        let (ns, outcome) = bench.watch.time_alone(|| drive(&mut engine, jobs, checker));
        (ns / 1e9, outcome)
    }
}

/// A gang without node boundaries, or as many full nodes as it takes and one replica for the rest.
fn specification(number: usize, quota: QuotaId, gpus: u32, node: u32) -> WorkloadSpec {
    let (full, rest) = (gpus / node, gpus % node);
    let mut spec =
        WorkloadSpec::new(&format!("j{number}"), quota, Module::Training, 1, Shape::with_gpu(rest * WHOLE));
    if full > 0 {
        let role = Role { replicas: full, shape: Shape::with_gpu(node * WHOLE) };
        if rest > 0 { spec.roles.insert(0, role) } else { spec.roles[0] = role }
    }
    spec
}

/// In proportion to the teams' GPU-hours, at least a team's largest job. What is too much in all is taken, one
/// GPU at a time, from the team that has most beyond its largest job.
fn quotas(entries: &[Entry], teams: usize) -> Vec<u32> {
    let mut hours = vec![0.0; teams];
    let mut largest = vec![0; teams];
    for entry in entries {
        hours[entry.team] += entry.runs as f64 * f64::from(entry.gpus);
        largest[entry.team] = entry.gpus.max(largest[entry.team]);
    }
    let all: f64 = hours.iter().sum();
    let part = |hours: &f64| (hours / all * f64::from(GPUS)).round() as u32;
    let mut quotas: Vec<u32> =
        hours.iter().zip(&largest).map(|(hours, most)| part(hours).max(*most)).collect();
    while quotas.iter().sum::<u32>() > GPUS {
        let richest = (0..teams).max_by_key(|team| (quotas[*team] - largest[*team], Reverse(*team)));
        quotas[richest.expect("there are teams")] -= 1;
    }
    quotas
}
