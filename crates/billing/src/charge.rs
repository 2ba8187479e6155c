//! From what was used to what it costs.

use crate::money::{Currency, Money, PRICE_DECIMALS};
use crate::price::{Discount, Rate, Resource};
use serde::{Deserialize, Serialize};
use tidegate_engine::ids::{Span, Tick};

const HOUR: i128 = 3_600_000;

/// What was held (thousandths of a GPU or core, bytes) times milliseconds. Negative: taken back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Quantity(pub i128);

impl Quantity {
    /// Largest that is charged: all memory of ten thousand nodes of 16 TiB for a thousand years stays below it.
    pub const MAX: Quantity = Quantity(1 << 108);

    pub fn of(amount: i64, span: Span) -> Quantity {
        Quantity(i128::from(amount) * i128::from(span.0))
    }
}

impl std::ops::AddAssign for Quantity {
    fn add_assign(&mut self, other: Quantity) {
        self.0 += other.0;
    }
}

impl std::iter::Sum for Quantity {
    fn sum<I: Iterator<Item = Quantity>>(all: I) -> Quantity {
        Quantity(all.map(|one| one.0).sum())
    }
}

/// The part of `[from, to)` that lies in a period.
pub fn clip((from, to): (Tick, Tick), (begin, end): (Tick, Tick)) -> Span {
    to.min(end).since(from.max(begin))
}

/// What a line of a statement costs: the only place where anything is rounded.
pub fn settle(quantity: Quantity, resource: &Resource, rate: Rate, currency: &Currency) -> Money {
    let factor = i128::from(rate.price.0) * i128::from(Discount::ALL.0.saturating_sub(rate.discount.0));
    let per_minor = 10i128.pow(PRICE_DECIMALS - u32::from(currency.decimals).min(PRICE_DECIMALS));
    let divisor = resource.unit() * HOUR * i128::from(Discount::ALL.0) * per_minor;
    let sign = quantity.0.signum();
    Money(sign * rounded(quantity.0.abs().min(Quantity::MAX.0), factor, divisor))
}

/// `a * b / divisor`, half up, for numbers that are not negative. The product may be larger than any integer here:
/// `b` is taken digit by digit, to the base of 2^16, and what is left over each time is carried on.
fn rounded(a: i128, b: i128, divisor: i128) -> i128 {
    const BITS: u32 = 16;
    let (mut quotient, mut rest) = (0, 0);
    for place in (0..64 / BITS).rev() {
        let digit = b >> (place * BITS) & 0xffff;
        let part = (rest << BITS) + a * digit;
        quotient = (quotient << BITS) + part / divisor;
        rest = part % divisor;
    }
    quotient + i128::from(rest * 2 >= divisor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::money::Price;

    fn euro() -> Currency {
        Currency::new("EUR", 2).expect("a currency")
    }

    fn rate(price: &str, discount: u32) -> Rate {
        Rate { price: Price::parse(price).expect("a price"), discount: Discount(discount) }
    }

    fn gpu() -> Resource {
        Resource::Gpu("H100".into())
    }

    #[test]
    fn a_gpu_for_an_hour_costs_its_price() {
        let hour = Span::hours(1);
        for (amount, price, discount, cost) in [
            (1_000, "2.50", 0, 250),
            (8_000, "2.50", 0, 2_000),
            (500, "2.50", 0, 125),
            (1_000, "2.50", 60_000, 100),
            (1_000, "2.50", 100_000, 0),
            (1_000, "0", 0, 0),
        ] {
            let settled = settle(Quantity::of(amount, hour), &gpu(), rate(price, discount), &euro());
            assert_eq!(settled, Money(cost), "{amount} at {price} less {discount}");
        }
        let gib = Quantity::of(2 << 30, hour);
        assert_eq!(
            settle(gib, &Resource::Memory, rate("0.0125", 0), &euro()),
            Money(3),
            "2.5 cents, half up"
        );
        let yen = Currency::new("JPY", 0).expect("a currency");
        assert_eq!(settle(Quantity::of(1_000, hour), &gpu(), rate("249.5", 0), &yen), Money(250));
    }

    #[test]
    fn half_is_rounded_up_and_less_is_not() {
        // A GPU for 3,600,000 ms at 0.005 is half a cent.
        let half = Quantity::of(1_000, Span::hours(1));
        let price = rate("0.005", 0);
        assert_eq!(settle(half, &gpu(), price, &euro()), Money(1));
        assert_eq!(settle(Quantity(half.0 - 1), &gpu(), price, &euro()), Money(0));
        assert_eq!(settle(Quantity(-half.0), &gpu(), price, &euro()), Money(-1));
        assert_eq!(settle(Quantity(1 - half.0), &gpu(), price, &euro()), Money(0));
    }

    #[test]
    fn the_largest_bill_is_still_exact() {
        let million = Currency::new("X", 6).expect("a currency");
        let dearest = Rate { price: Price::MAX, discount: Discount(0) };
        let settled = settle(Quantity::MAX, &Resource::Memory, dearest, &million);
        assert_eq!(
            settled,
            Money(((1i128 << 78) * 1_000_000_000_000 / 225_000 + 8) / 16),
            "2^108 / 2^30 / 3.6e6"
        );
    }

    #[test]
    fn a_product_that_fits_is_divided_as_usual() {
        for a in [0, 1, 7, 999_999_999_999, 1 << 60] {
            for b in [0, 1, 65_535, 65_536, 100_000, 123_456_789_012] {
                for divisor in [1, 2, 3, 3_600_000, 1 << 40] {
                    assert_eq!(
                        rounded(a, b, divisor),
                        (a * b * 2 + divisor) / (divisor * 2),
                        "{a} {b} {divisor}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_period_takes_what_lies_in_it() {
        let within = |from, to, begin, end| clip((Tick(from), Tick(to)), (Tick(begin), Tick(end))).0;
        assert_eq!(within(0, 10, 2, 5), 3);
        assert_eq!(within(0, 10, 5, 20), 5);
        assert_eq!(within(0, 10, 10, 20), 0);
        assert_eq!(within(20, 30, 0, 10), 0);
    }
}
