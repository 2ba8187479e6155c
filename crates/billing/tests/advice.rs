//! Advice for histories whose best answer is known.

use std::collections::BTreeMap;
use std::sync::Arc;
use tidegate_billing::advice::{Advice, PastTask, advise};
use tidegate_billing::money::{Currency, Money, Price};
use tidegate_billing::price::{Mode, PriceBook, PriceBookId, PriceVersion, Resource, Tariff};
use tidegate_engine::ids::{Span, Tick};
use tidegate_engine::resources::Shape;

const BEGIN: u64 = 1_768_003_200_000;
const HOUR: u64 = 3_600_000;
const WEEK: u64 = 7 * 24 * HOUR;

/// A GPU costs 2 an hour on shared compute, 1 reserved, 1.50 by usage; all else is free.
fn book() -> PriceBook {
    let tariff = |price: &str| Tariff {
        gpu: BTreeMap::from([("H100".into(), Price::parse(price).expect("a price"))]),
        cpu: Some(Price(0)),
        memory: Some(Price(0)),
        ..Tariff::default()
    };
    let tariffs = BTreeMap::from([
        (Mode::Shared, tariff("2")),
        (Mode::Reserved, tariff("1")),
        (Mode::ByUsage, tariff("1.5")),
    ]);
    PriceBook {
        id: PriceBookId(0),
        name: "default".into(),
        currency: Currency::new("EUR", 2).expect("a currency"),
        versions: vec![PriceVersion { from: Tick(0), set: Tick(0), tariffs }],
        created: Tick(0),
    }
}

/// A task of one GPU that came and began at hours of the period, and ran for some.
fn task(queued: f64, waited: f64, runs: f64) -> PastTask {
    let at = |hours: f64| Tick(BEGIN + (hours * HOUR as f64) as u64);
    PastTask {
        queued: at(queued),
        started: at(queued + waited),
        runs: Span((runs * HOUR as f64) as u64),
        shape: Shape { gpu: 1_000, cpu: 1_000, memory: 1 << 30 },
        model: Some(Arc::from("H100")),
    }
}

fn advised(tasks: &[PastTask]) -> Advice {
    advise(&book(), tasks, (Tick(BEGIN), Tick(BEGIN + WEEK))).expect("there are tasks")
}

fn gpus(size: &[(Resource, i64)]) -> i64 {
    size.iter().filter(|(resource, _)| matches!(resource, Resource::Gpu(_))).map(|(_, amount)| *amount).sum()
}

#[test]
fn who_works_all_the_time_reserves() {
    // Four GPUs around the clock.
    let tasks: Vec<PastTask> =
        (0..168).flat_map(|hour| (0..4).map(move |_| task(f64::from(hour), 0.0, 1.0))).collect();
    let advice = advised(&tasks);
    assert_eq!(advice.shared.cost, Ok(Money(4 * 168 * 200)));
    let reserved = &advice.tried[advice.reserved];
    assert_eq!((gpus(&reserved.size), &reserved.cost), (4_000, &Ok(Money(4 * 168 * 100))), "{advice:?}");
    assert_eq!(reserved.waiting.most, Span::ZERO);
    assert_eq!(advice.best, Mode::Reserved);
    // Fewer are cheaper, and tasks pile up.
    let first = &advice.tried[0];
    assert!(gpus(&first.size) < 4_000 && first.waiting.p95 > Span::hours(24), "{first:?}");
}

#[test]
fn who_works_in_bursts_does_not() {
    // Sixteen GPUs for an hour each day.
    let tasks: Vec<PastTask> =
        (0..7).flat_map(|day| (0..16).map(move |_| task(f64::from(day) * 24.0 + 9.0, 0.0, 1.0))).collect();
    let advice = advised(&tasks);
    assert_eq!(advice.shared.cost, Ok(Money(7 * 16 * 200)));
    assert_eq!(advice.tried[advice.reserved].cost, Ok(Money(16 * 168 * 100)));
    let by_usage = &advice.by_usage;
    assert!(by_usage.waiting.most <= Span::seconds(1), "{by_usage:?}");
    // An hour of all, and then a step less with every cool-down.
    let cost = by_usage.cost.as_ref().expect("a price").0;
    assert!((7 * 16 * 150..7 * 16 * 150 * 2).contains(&cost), "{by_usage:?}");
    assert_ne!(advice.best, Mode::Reserved);
}

#[test]
fn who_waited_long_is_content_with_less() {
    // Eight at once, but they waited for hours as it was: two GPUs do as well.
    let tasks: Vec<PastTask> = (0..8).map(|n| task(0.0, f64::from(n), 1.0)).collect();
    let advice = advised(&tasks);
    assert_eq!(advice.shared.waiting.most, Span::hours(7));
    let reserved = &advice.tried[advice.reserved];
    assert_eq!((gpus(&reserved.size), reserved.waiting.most), (1_000, Span::hours(7)), "{advice:?}");
}

#[test]
fn what_has_no_price_is_said_and_the_rest_is_told() {
    let mut book = book();
    for version in &mut book.versions {
        version.tariffs.remove(&Mode::ByUsage);
    }
    let advice = advise(&book, &[task(0.0, 0.0, 1.0)], (Tick(BEGIN), Tick(BEGIN + WEEK))).expect("a task");
    assert!(advice.by_usage.cost.is_err());
    assert_eq!((advice.shared.cost, advice.best), (Ok(Money(200)), Mode::Shared));
    assert_eq!(advise(&book, &[], (Tick(BEGIN), Tick(BEGIN + WEEK))), None);
}

#[test]
fn work_without_gpus_is_told_too() {
    let cpu =
        PastTask { shape: Shape { gpu: 0, cpu: 4_000, memory: 1 << 30 }, model: None, ..task(1.0, 0.0, 2.0) };
    let advice = advised(&[cpu]);
    assert_eq!((advice.tasks, &advice.shared.cost), (1, &Ok(Money(0))));
    assert_eq!(advice.by_usage.waiting.most, Span::ZERO, "{advice:?}");
}

#[test]
fn what_an_account_does_not_count_is_no_limit() {
    let bare =
        |n: u32| PastTask { shape: Shape { gpu: 1_000, cpu: 0, memory: 0 }, ..task(f64::from(n), 0.0, 2.0) };
    let advice = advised(&(0..20).map(bare).collect::<Vec<_>>());
    assert_eq!(advice.by_usage.waiting.most, Span::ZERO, "{advice:?}");
    assert_eq!(advice.tried.last().map(|way| (gpus(&way.size), way.waiting.most)), Some((2_000, Span::ZERO)));
    assert!(advice.tried[0].waiting.most > Span::ZERO, "one GPU is not enough: {advice:?}");
}
