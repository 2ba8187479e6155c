//! However use is cut into pieces, its sum and what it costs stay the same.

use proptest::prelude::*;
use tidegate_billing::charge::{Quantity, clip, settle};
use tidegate_billing::money::{Currency, Price};
use tidegate_billing::price::{Discount, Rate, Resource};
use tidegate_engine::ids::Tick;

/// Amount and borders of an interval.
type Interval = (i64, u64, u64);

fn interval() -> impl Strategy<Value = Interval> {
    (1i64..(1 << 44), 0u64..10_000_000, 0u64..10_000_000)
        .prop_map(|(amount, a, b)| (amount, a.min(b), a.max(b)))
}

/// What lies of all in a period.
fn within(intervals: &[Interval], begin: u64, end: u64) -> Quantity {
    let part = |&(amount, from, to): &Interval| {
        Quantity::of(amount, clip((Tick(from), Tick(to)), (Tick(begin), Tick(end))))
    };
    intervals.iter().map(part).sum()
}

proptest! {
    #[test]
    fn a_period_that_is_split_anywhere_has_the_same_sum(
        intervals in prop::collection::vec(interval(), 0..40),
        mut cuts in prop::collection::vec(0u64..10_000_000, 0..12),
    ) {
        cuts.extend([0, 10_000_000]);
        cuts.sort_unstable();
        let parts: Quantity = cuts.windows(2).map(|pair| within(&intervals, pair[0], pair[1])).sum();
        prop_assert_eq!(parts, within(&intervals, 0, 10_000_000));
    }

    #[test]
    fn money_is_the_exact_product_to_half_of_its_smallest_amount(
        quantity in -(1i128 << 70)..(1i128 << 70),
        price in 0u64..10_000_000,
        discount in 0u32..=100_000,
        decimals in 0u8..=6,
    ) {
        let currency = Currency::new("X", decimals).expect("a currency");
        let rate = Rate { price: Price(price), discount: Discount(discount) };
        for resource in [Resource::Cpu, Resource::Memory] {
            let money = settle(Quantity(quantity), &resource, rate, &currency).0;
            // Twice the difference to the exact cost, in parts of the smallest amount.
            let parts = resource.unit() * 3_600_000 * 100_000 * 10i128.pow(6 - u32::from(decimals));
            let exact = quantity * i128::from(price) * i128::from(100_000 - discount);
            prop_assert!(exact.abs_diff(money * parts) * 2 <= parts.unsigned_abs());
            prop_assert_eq!(settle(Quantity(-quantity), &resource, rate, &currency).0, -money);
        }
    }
}
