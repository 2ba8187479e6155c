//! The calendar against a list of how much is booked at each instant.

use proptest::prelude::*;
use tidegate_billing::calendar::Calendar;
use tidegate_engine::ids::{Span, Tick};
use tidegate_engine::resources::{Dimension, Resources};

/// Instants that the model knows. More than a block holds changes, several times.
const END: usize = 3_000;
const DIMENSIONS: [Dimension; 2] = [Dimension(0), Dimension::CPU];

/// From, to, and an amount of each of two resources.
type Booking = (usize, usize, [i64; 2]);

fn resources(amounts: [i64; 2]) -> Resources {
    let mut all = Resources::default();
    for (dimension, amount) in DIMENSIONS.into_iter().zip(amounts) {
        all[dimension] = amount;
    }
    all
}

fn tick(at: usize) -> Tick {
    Tick(at as u64)
}

#[derive(Clone)]
struct Naive {
    booked: Vec<[i64; 2]>,
}

impl Naive {
    fn new() -> Naive {
        Naive { booked: vec![[0; 2]; END] }
    }

    fn change(&mut self, (from, to, amounts): Booking, sign: i64) {
        for at in &mut self.booked[from..to.max(from)] {
            at[0] += sign * amounts[0];
            at[1] += sign * amounts[1];
        }
    }

    fn most(&self, from: usize, to: usize) -> [i64; 2] {
        let part = self.booked.get(from..to.min(END)).unwrap_or_default();
        [0, 1].map(|which| part.iter().map(|at| at[which]).max().unwrap_or(0))
    }

    fn fits(&self, from: usize, to: usize, amounts: [i64; 2], supply: [i64; 2]) -> bool {
        let most = self.most(from, to);
        from >= to
            || [0, 1]
                .iter()
                .all(|&which| amounts[which] == 0 || most[which] + amounts[which] <= supply[which])
    }

    fn earliest(&self, from: usize, length: usize, amounts: [i64; 2], supply: [i64; 2]) -> Option<usize> {
        if amounts[0] > supply[0] || amounts[1] > supply[1] {
            return None;
        }
        // Counting back from an instant, how long there has been room up to it.
        let mut start = from;
        for at in from..END {
            if at >= start + length {
                break;
            }
            if !self.fits(at, at + 1, amounts, supply) {
                start = at + 1;
            }
        }
        Some(start)
    }
}

fn booking() -> impl Strategy<Value = Booking> {
    // Mostly short ones: then there are many changes, and room between them.
    let long = prop_oneof![9 => 1usize..40, 1 => 1usize..END];
    (0..END, long, 0i64..6, 0i64..6)
        .prop_map(|(from, long, gpus, cores)| (from, (from + long).min(END), [gpus, cores]))
}

/// Books, or takes back one of those that are booked.
fn history() -> impl Strategy<Value = Vec<(Booking, Option<prop::sample::Index>)>> {
    let gone = prop::option::weighted(0.3, any::<prop::sample::Index>());
    prop_oneof![
        4 => prop::collection::vec((booking(), gone.clone()), 0..200),
        1 => prop::collection::vec((booking(), gone), 1_000..2_500),
    ]
}

fn agree(
    calendar: &Calendar,
    naive: &Naive,
    asked: &[Booking],
    supply: [i64; 2],
) -> Result<(), TestCaseError> {
    let all = resources(supply);
    let over = (0..END).find(|at| {
        let [gpus, cores] = naive.booked[*at];
        gpus > supply[0] || cores > supply[1]
    });
    prop_assert_eq!(calendar.first_over(Tick(0), &all), over.map(tick));
    prop_assert_eq!(calendar.most(Tick(0), tick(END)), resources(naive.most(0, END)));
    for &(from, to, amounts) in asked {
        let (begin, end, amount) = (tick(from), tick(to), resources(amounts));
        prop_assert_eq!(calendar.most(begin, end), resources(naive.most(from, to)));
        prop_assert_eq!(calendar.at(begin), resources(naive.most(from, from + 1)));
        let fits = naive.fits(from, to, amounts, supply);
        prop_assert_eq!(calendar.fits(begin, end, &amount, &all), fits);
        let earliest = naive.earliest(from, to - from, amounts, supply).map(tick);
        prop_assert_eq!(calendar.earliest(begin, Span((to - from) as u64), &amount, &all), earliest);
        let over = (from..END).find(|at| {
            let [gpus, cores] = naive.booked[*at];
            gpus > supply[0] || cores > supply[1]
        });
        prop_assert_eq!(calendar.first_over(begin, &all), over.map(tick));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn what_it_says_is_what_a_list_says(
        history in history(),
        asked in prop::collection::vec(booking(), 1..30),
        supply in [0i64..40, 0i64..40],
    ) {
        let (mut calendar, mut naive, mut booked) = (Calendar::default(), Naive::new(), Vec::new());
        for (booking, gone) in history {
            let (from, to, amounts) = booking;
            calendar.insert(tick(from), tick(to), &resources(amounts));
            naive.change(booking, 1);
            booked.push(booking);
            if let Some(gone) = gone {
                let booking = booked.swap_remove(gone.index(booked.len()));
                calendar.remove(tick(booking.0), tick(booking.1), &resources(booking.2));
                naive.change(booking, -1);
            }
        }
        agree(&calendar, &naive, &asked, supply)?;
        // Made anew from what is left, in another order, it is the same.
        let mut again = Calendar::default();
        for (from, to, amounts) in booked.iter().rev() {
            again.insert(tick(*from), tick(*to), &resources(*amounts));
        }
        prop_assert_eq!(&again, &calendar);
        for (from, to, amounts) in booked {
            calendar.remove(tick(from), tick(to), &resources(amounts));
        }
        prop_assert_eq!(calendar, Calendar::default());
    }

    #[test]
    fn who_books_only_what_fits_never_books_more_than_there_is(
        wishes in prop::collection::vec((booking(), 0u8..4, any::<prop::sample::Index>()), 1..400),
        supply in [4i64..12, 4i64..12],
    ) {
        let all = resources(supply);
        let (mut calendar, mut naive, mut booked) = (Calendar::default(), Naive::new(), Vec::<Booking>::new());
        for ((from, to, amounts), what, which) in wishes {
            let amount = resources(amounts);
            let length = Span((to - from) as u64);
            // Cancel; move to another time; book as asked; book at the earliest time.
            let old = (what < 2 && !booked.is_empty()).then(|| which.index(booked.len()));
            if let Some(old) = old {
                let gone = booked.swap_remove(old);
                calendar.remove(tick(gone.0), tick(gone.1), &resources(gone.2));
                naive.change(gone, -1);
                if what == 0 {
                    continue;
                }
            }
            let start = if what == 3 { calendar.earliest(tick(from), length, &amount, &all) } else { Some(tick(from)) };
            let Some(start) = start else { continue };
            let end = start.after(length);
            let fits = calendar.fits(start, end, &amount, &all);
            prop_assert!(fits || what != 3, "the earliest time fits");
            if fits && end <= tick(END) {
                calendar.insert(start, end, &amount);
                let booking = (start.0 as usize, end.0 as usize, amounts);
                naive.change(booking, 1);
                booked.push(booking);
            }
            let most = naive.most(0, END);
            prop_assert!(most[0] <= supply[0] && most[1] <= supply[1], "{most:?} of {supply:?}");
        }
    }
}

#[test]
fn one_ends_where_the_next_begins() {
    let (mut calendar, two) = (Calendar::default(), Resources::of(Dimension(0), 2));
    calendar.insert(Tick(10), Tick(20), &two);
    let supply = Resources::of(Dimension(0), 3);
    assert!(calendar.fits(Tick(0), Tick(10), &two, &supply));
    assert!(calendar.fits(Tick(20), Tick(30), &two, &supply));
    assert!(!calendar.fits(Tick(19), Tick(30), &two, &supply));
    assert_eq!(calendar.earliest(Tick(5), Span(6), &two, &supply), Some(Tick(20)));
    assert_eq!(calendar.earliest(Tick(4), Span(6), &two, &supply), Some(Tick(4)));
    assert_eq!(calendar.earliest(Tick(0), Span(6), &Resources::of(Dimension(0), 4), &supply), None);
    assert_eq!(calendar.free(Tick(0), Tick(11), &supply), Resources::of(Dimension(0), 1));
    // What has no end, or is the wrong way round, books nothing that could not be taken back.
    calendar.insert(Tick(30), Tick(30), &two);
    calendar.insert(Tick(40), Tick(30), &two);
    calendar.insert(Tick(50), Tick(u64::MAX), &two);
    calendar.remove(Tick(50), Tick(u64::MAX), &two);
    calendar.remove(Tick(10), Tick(20), &two);
    assert_eq!(calendar, Calendar::default());
}
