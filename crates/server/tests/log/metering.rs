//! The meter over random histories: its records are what was drawn, whatever happens to it on the way.

use super::capacity::Landlord;
use super::history::{Dice, History};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use tidegate_billing::charge::Quantity;
use tidegate_billing::dedicated::ConfigId;
use tidegate_billing::price::Resource;
use tidegate_check::{Checker, Metering};
use tidegate_engine::ids::{QuotaId, Span, Tick};
use tidegate_engine::reason::Names;
use tidegate_engine::resources::Dimension;
use tidegate_server::core::control::Control;
use tidegate_server::core::entry::Body;
use tidegate_server::core::writer::Habits;
use tidegate_server::meter::{Follower, Meter, News, Use, Wanted};
use tidegate_store::open_read_only;

/// Histories; `TIDEGATE_HISTORIES` asks for more.
const HISTORIES: u64 = 4;
const STEPS: u32 = 250;
const EVER: [Tick; 2] = [Tick(0), Tick(1 << 60)];

fn meter(control: &Control, data: &Path, retain: Option<Span>) -> Meter {
    let reader = open_read_only(data).expect("the store");
    Meter::open(control.clone(), reader, data, retain, Arc::new(AtomicU64::new(0)))
}

fn all(borders: &[Tick]) -> Wanted<'_> {
    Wanted { borders, pick: &|_| true, workload: None }
}

/// All records, page by page; what goes on comes last, without a number.
fn records(meter: &Meter) -> Vec<(Option<u64>, Use)> {
    let (mut found, mut from) = (Vec::new(), Some(0));
    while let Some(at) = from {
        let page = meter.list(&all(&EVER), at, 7).expect("it can be read");
        assert!(page.items.len() <= 7);
        found.extend(page.items);
        from = page.next;
    }
    found
}

/// What is drawn on each account now, by the engine's books and by what is being metered.
fn drawn_now(control: &Control, meter: &Meter) -> [BTreeMap<(QuotaId, String), i64>; 2] {
    let books = control.read_blocking(|world| {
        let mut drawn = BTreeMap::new();
        for account in world.engine.account_figures() {
            let models = world.engine.model_names(account.pool);
            for (dimension, amount) in account.drawn.stated() {
                let resource = match dimension {
                    Dimension::CPU => Resource::Cpu,
                    Dimension::MEMORY => Resource::Memory,
                    gpu => Resource::Gpu((*models[gpu.model().expect("a model").index()]).into()),
                };
                drawn.insert((account.quota, resource.to_string()), amount);
            }
        }
        drawn
    });
    let mut metered = BTreeMap::new();
    let work = |(id, one): &(Option<u64>, Use)| id.is_none() && !one.kind.is_capacity();
    for (_, one) in records(meter).into_iter().filter(work) {
        *metered.entry((one.kind.account, one.kind.resource.to_string())).or_default() += one.amount;
    }
    [books, metered]
}

/// What every config has held up to now, as it was agreed and as it was metered.
fn held_so_far(control: &Control, landlord: &Landlord, meter: &Meter) -> [BTreeMap<ConfigId, i128>; 2] {
    let tally = meter.tally(&all(&EVER)).expect("it can be read");
    let agreed = landlord.held(tally.now);
    assert!(tally.now <= control.clock().now());
    let mut metered = BTreeMap::new();
    for ((kind, _), quantity) in tally.sums.iter().filter(|((kind, _), _)| kind.is_capacity()) {
        let id = kind.config.expect("capacity is of a config");
        // Others than the landlord's come by with the records of a history.
        if agreed.contains_key(&id) || landlord.knows(id) {
            *metered.entry(id).or_default() += quantity.0;
        }
    }
    [agreed, metered]
}

/// Records as the whole log tells them; the checker agrees with all that they are derived from.
fn told(data: &Path) -> Vec<Use> {
    let reader = open_read_only(data).expect("the store");
    let (mut checker, mut metering) = (Checker::default(), Metering::default());
    let (mut follower, mut news) = (Follower::default(), News::default());
    let mut from = 0;
    loop {
        let entries = reader.entries(from, 100).expect("the log");
        let Some(last) = entries.last() else { break };
        from = last.next();
        for entry in &entries {
            let body = Body::decode(&entry.body).expect("an entry");
            for events in body.commands() {
                checker.observe(events).expect("no violation");
                metering.observe(events, &checker).expect("no violation");
            }
            follower.follow(entry.first, 0, &body, &mut news);
        }
    }
    metering.finish().expect("metered use equals the draws at every instant");
    news.uses
}

fn sum(meter: &Meter, borders: &[Tick]) -> BTreeMap<String, Quantity> {
    let tally = meter.tally(&all(borders)).expect("it can be read");
    let mut sums = BTreeMap::new();
    for ((kind, _), quantity) in tally.sums {
        *sums.entry(format!("{kind:?}")).or_default() += quantity;
    }
    sums
}

#[test]
fn every_record_is_there_once_whatever_happens_to_the_meter() {
    let histories =
        std::env::var("TIDEGATE_HISTORIES").ok().and_then(|n| n.parse().ok()).unwrap_or(HISTORIES);
    for seed in 0..histories {
        let home = tempfile::tempdir().expect("a directory");
        let data = home.path();
        let mut history = History::begin(data, Habits::default(), seed);
        let control = history.control.clone();
        let (mut dice, mut following) = (Dice(seed + 1_000), meter(&control, data, None));
        let begin = control.clock().now();
        let mut landlord = Landlord::new(seed + 2_000);
        for step in 0..STEPS {
            history.step();
            if dice.roll(3) == 0 {
                landlord.step(&control);
            }
            match dice.roll(12) {
                0 => following.catch_up().expect("it follows"),
                // As if it were killed: nothing but the file is left.
                1 => following = meter(&control, data, None),
                // Another that has not heard of the first, as in a server that is on its way out.
                2 => meter(&control, data, None).catch_up().expect("it follows"),
                _ => {}
            }
            if step % 50 == 0 {
                let [books, metered] = drawn_now(&control, &following);
                assert_eq!(books, metered, "history {seed}, step {step}");
                let [agreed, metered] = held_so_far(&control, &landlord, &following);
                assert_eq!(agreed, metered, "history {seed}, step {step}");
            }
        }
        let found = records(&following);
        let ended: Vec<Use> =
            found.iter().filter(|(id, _)| id.is_some()).map(|(_, one)| one.clone()).collect();
        let numbers: Vec<u64> = found.iter().filter_map(|(id, _)| *id).collect();
        assert_eq!(numbers, (1..=ended.len() as u64).collect::<Vec<_>>());
        assert_eq!(ended, told(data), "history {seed}");
        assert!(ended.len() > 20, "history {seed} has metered next to nothing");

        let [agreed, metered] = held_so_far(&control, &landlord, &following);
        assert_eq!(agreed, metered, "history {seed}");
        assert!(agreed.len() > 4, "history {seed} has held next to nothing");
        let noted: Vec<ConfigId> = ended.iter().filter_map(|one| one.kind.config).collect();
        assert!(noted.len() > 10, "history {seed} has noted next to no capacity");

        let end = Tick(control.clock().now().0 + 1);
        let mut cuts: Vec<Tick> = (0..9).map(|_| Tick(begin.0 + dice.roll(end.0 - begin.0))).collect();
        cuts.extend([begin, end]);
        cuts.sort_unstable();
        assert_eq!(sum(&following, &cuts), sum(&following, &[begin, end]), "history {seed}: split");
        assert_eq!(
            sum(&following, &[begin, end]),
            sum(&following, &EVER),
            "history {seed}: nothing lies outside"
        );

        drop(following);
        std::fs::remove_file(data.join("usage.db")).expect("it is there");
        assert_eq!(records(&meter(&control, data, None)), found, "history {seed}: made anew");
        std::fs::write(data.join("usage.db"), "no database").expect("it can be written");
        assert_eq!(records(&meter(&control, data, None)), found, "history {seed}: made anew from garbage");
        drop(control);
        history.end();
    }
}
