//! Whether something may be booked, beside a hundred thousand bookings.

use crate::bench::{Bench, spread};
use crate::random::Random;
use crate::samples::{Samples, thousands};
use crate::table::Measure;
use std::hint::black_box;
use tidegate_billing::calendar::Calendar;
use tidegate_engine::ids::{Span, Tick};
use tidegate_engine::resources::{Dimension, Resources};

const BOOKINGS: usize = 100_000;
const HOUR: usize = 3_600_000;
/// Bookings lie within four years.
const YEARS: usize = 4 * 365 * 24 * HOUR;
/// Longest that a check may take, in nanoseconds, whatever period is asked for.
const TARGET: f64 = 100_000.0;

/// Periods that are asked for.
const WINDOWS: [(&str, usize); 3] = [("a day", 24 * HOUR), ("a year", YEARS / 4), ("all years", YEARS)];

pub fn run(bench: &mut Bench) {
    bench.progress("booking");
    let (mut random, mut calendar) = (Random(11), Calendar::default());
    for _ in 0..BOOKINGS {
        let from = random.below(YEARS);
        let to = from + HOUR + random.below(72 * HOUR);
        calendar.insert(Tick(from as u64), Tick(to as u64), &machines(1 + random.below(4)));
    }
    let supply = calendar.most(Tick(0), Tick(u64::MAX));
    let beside = format!("beside {} bookings", thousands(BOOKINGS as u64));
    for (window, length) in WINDOWS {
        let samples = measure(
            bench,
            |random| {
                let from = Tick(random.below(YEARS + 1 - length.min(YEARS)) as u64);
                (from, from.after(Span(length as u64)))
            },
            |(from, to), amount| calendar.fits(from, to, amount, &supply),
        );
        let what = format!("booking check over {window}, {beside}");
        row(bench, what, &samples, Some(TARGET));
    }
    // Room for one machine of all that were ever booked at once is rarely free: nearly all of the calendar is read.
    let samples = measure(
        bench,
        |random| (Tick(random.below(YEARS / 4) as u64), ()),
        |(from, ()), amount| calendar.earliest(from, Span(24 * HOUR as u64), amount, &supply).is_some(),
    );
    row(bench, format!("earliest day that fits, {beside}"), &samples, None);
    let mut changed = calendar.clone();
    let samples = measure(
        bench,
        |random| (random.below(YEARS) as u64, ()),
        |(at, ()), amount| {
            changed.insert(Tick(at), Tick(at + HOUR as u64), amount);
            true
        },
    );
    row(bench, format!("a booking entered, {beside}"), &samples, None);
}

fn row(bench: &mut Bench, what: String, samples: &Samples, target: Option<f64>) {
    let measure = match target {
        Some(target) => Measure::target("cold", "<= 100 us", samples.p99() <= target),
        None => Measure::plain("cold"),
    };
    bench.table.row(what, spread(samples), measure);
}

/// Times a question with other arguments each time, after everything has left the caches.
fn measure<A>(
    bench: &mut Bench,
    mut arguments: impl FnMut(&mut Random) -> A,
    mut ask: impl FnMut(A, &Resources) -> bool,
) -> Samples {
    let (mut random, mut samples) = (Random(5), Samples::default());
    for _ in 0..bench.samples(300) {
        let (arguments, amount) = (arguments(&mut random), machines(1));
        bench.chill.chill();
        let (ns, _) = bench.watch.time_alone(|| black_box(ask(arguments, &amount)));
        samples.push(ns);
    }
    samples
}

/// So many machines of 8 GPUs, with what goes with them.
fn machines(count: usize) -> Resources {
    let count = count as i64;
    let mut all = Resources::of(Dimension(0), count * 8_000);
    all[Dimension::CPU] = count * 96_000;
    all[Dimension::MEMORY] = count << 40;
    all
}
