//! A month's statement of everybody, from a million records of use in a file.

use crate::bench::{Bench, spread};
use crate::random::Random;
use crate::samples::{Samples, thousands};
use crate::table::Measure;
use std::collections::BTreeMap;
use std::io;
use tidegate_billing::money::{Currency, Price};
use tidegate_billing::price::{Discount, Mode, PriceBook, PriceBookId, PriceVersion, Resource, Tariff};
use tidegate_billing::statement::{About, borders, statement};
use tidegate_engine::ids::{MemberId, QuotaId, Tick, WorkloadId, WorkspaceId};
use tidegate_engine::words::{Class, Module, Priority, Rule};
use tidegate_server::meter::{Kind, Ledger, News, Place, Use, Wanted};

const RECORDS: u32 = 1_000_000;
/// Records that are written as one.
const BATCH: u32 = 10_000;
const MONTH: u64 = 30 * 86_400_000;
/// Longest that is waited for a statement, in nanoseconds.
const TARGET: f64 = 1e9;

pub fn run(bench: &mut Bench) {
    bench.progress("bill");
    match measured(bench) {
        Ok((samples, lines)) => {
            let what = format!("a month's bill from {} records of use", thousands(count(bench).into()));
            let measure = Measure::target(format!("{lines} lines"), "<= 1 s", samples.p50() <= TARGET);
            bench.table.row(what, spread(&samples), measure);
        }
        Err(error) => bench.table.note(format!("bill: not finished, {error}")),
    }
}

fn count(bench: &Bench) -> u32 {
    if bench.quick { RECORDS / 10 } else { RECORDS }
}

fn measured(bench: &Bench) -> io::Result<(Samples, usize)> {
    let data = tempfile::tempdir()?;
    let file = data.path().join("usage.db");
    fill(&file, count(bench)).map_err(io::Error::other)?;
    // Opened anew: nothing is left in memory of what was written.
    let ledger = Ledger::open(&file).map_err(io::Error::other)?;
    let book = book();
    let cuts = borders(&book, Tick(0), Tick(MONTH));
    let (mut samples, mut lines) = (Samples::default(), 0);
    for _ in 0..bench.samples(30) {
        let (ns, bill) = bench.watch.time(|| {
            let wanted = Wanted { borders: &cuts, pick: &|_| true, workload: None };
            let tally = ledger.tally(&wanted, Tick(MONTH)).map_err(io::Error::other)?;
            let used = tally.sums.into_iter().map(|((kind, part), quantity)| (about(kind), part, quantity));
            statement(&book, &cuts, used).map_err(|why| io::Error::other(format!("{why:?}")))
        });
        lines = bill?.lines.len();
        samples.push(ns);
    }
    Ok((samples, lines))
}

fn about(kind: Kind) -> About {
    let Kind { workspace, borrower: quota, mode, config, resource, class, .. } = kind;
    About { workspace, mode, config, quota, resource, class, correction: None }
}

/// Three prices in the month, of four models in two modes.
fn book() -> PriceBook {
    let version = |day: u64| {
        let gpu = (0..4).map(|model| (format!("m{model}").into(), Price(2_500_000 + model + day))).collect();
        let tariff = Tariff {
            gpu,
            cpu: Some(Price(40_000)),
            memory: Some(Price(5_000)),
            idle_discount: Discount(60_000),
        };
        let tariffs = BTreeMap::from([(Mode::Shared, tariff.clone()), (Mode::Quota, tariff)]);
        PriceVersion { from: Tick(day * 86_400_000), set: Tick(0), tariffs }
    };
    PriceBook {
        id: PriceBookId(0),
        name: "default".into(),
        currency: Currency { code: "EUR".into(), decimals: 2 },
        versions: vec![version(0), version(10), version(20)],
        created: Tick(0),
    }
}

/// Work of 50 workspaces with 4 quotas each; what ends later comes later, as from a log.
fn fill(file: &std::path::Path, records: u32) -> Result<(), String> {
    let mut ledger = Ledger::open(file).map_err(|error| error.to_string())?;
    let mut random = Random(7);
    for first in (0..records).step_by(BATCH as usize) {
        let mut news = News::default();
        for n in first..(first + BATCH).min(records) {
            let to = MONTH * u64::from(n + 1) / u64::from(records);
            let room = random.below(50) as u32;
            let resource = match n % 3 {
                0 => Resource::Gpu(format!("m{}", random.below(4)).into()),
                1 => Resource::Cpu,
                _ => Resource::Memory,
            };
            let class = [Class::Firm, Class::Loan, Class::Idle][random.below(3)];
            let quota = QuotaId(room * 4 + random.below(4) as u32);
            let kind = Kind {
                workspace: WorkspaceId(room),
                user: MemberId(room * 4 + random.below(4) as u32),
                account: quota,
                borrower: quota,
                mode: if n % 2 == 0 { Mode::Shared } else { Mode::Quota },
                config: None,
                module: Some(Module::Task),
                resource,
                class,
                rule: Rule::Own,
            };
            news.uses.push(Use {
                kind,
                workload: Some(WorkloadId(n / 3)),
                name: "task".into(),
                priority: Priority::DEFAULT,
                unit: 0,
                queued: Tick(0),
                key: u64::from(n),
                from: Tick(to.saturating_sub(1_000 + random.below(7_200_000) as u64)),
                to: Tick(to),
                amount: 1_000 * (1 + random.below(8) as i64),
            });
        }
        let place = Place { next: u64::from(first + BATCH), ..Place::default() };
        ledger.commit(&news, place).map_err(|error| error.to_string())?;
    }
    Ok(())
}
