//! Money as integers, and how it is written.

use serde::{Deserialize, Serialize};

/// Decimals of prices: they are kept in millionths.
pub const PRICE_DECIMALS: u32 = 6;

/// What a price book counts in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Currency {
    /// For people, such as EUR or `credits`: nothing is converted.
    pub code: Box<str>,
    /// Of the smallest amount that is charged: 2 for cents.
    pub decimals: u8,
}

impl Currency {
    /// Decimals where nothing else is said.
    pub const DECIMALS: u8 = 2;

    pub fn new(code: &str, decimals: u8) -> Option<Currency> {
        let letters = code.chars().all(|c| c.is_ascii_alphanumeric());
        let fits = (1..=16).contains(&code.len()) && u32::from(decimals) <= PRICE_DECIMALS;
        (letters && fits).then(|| Currency { code: code.into(), decimals })
    }

    /// An amount as it is written: `-12.30`.
    pub fn written(&self, money: Money) -> String {
        written(money.0, self.decimals.into())
    }
}

/// A number of the smallest amounts of a currency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Money(pub i128);

impl Money {
    /// `500`, or `499.95`: nothing that would be rounded.
    pub fn parse(text: &str, currency: &Currency) -> Option<Money> {
        let millionths = Price::parse(text)?.0;
        let unit = 10u64.pow(PRICE_DECIMALS - u32::from(currency.decimals));
        (millionths % unit == 0).then(|| Money((millionths / unit).into()))
    }
}

impl std::iter::Sum for Money {
    fn sum<I: Iterator<Item = Money>>(all: I) -> Money {
        Money(all.map(|money| money.0).sum())
    }
}

/// Millionths of a currency for one GPU, core or GiB held for an hour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Price(pub u64);

impl Price {
    /// A million an hour, in any currency: above that somebody has mistyped.
    pub const MAX: Price = Price(1_000_000_000_000);

    /// `2.50`, or `0.000001`; nothing that would be rounded.
    pub fn parse(text: &str) -> Option<Price> {
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let shape = !whole.is_empty() && (part.is_empty() != text.contains('.'));
        if !shape || !digits(whole) || !digits(part) || part.len() > PRICE_DECIMALS as usize {
            return None;
        }
        let price: u64 = format!("{whole}{part:0<6}").parse().ok()?;
        (price <= Price::MAX.0).then_some(Price(price))
    }
}

/// At least two decimals, and no zeros after them.
impl std::fmt::Display for Price {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = written(self.0.into(), PRICE_DECIMALS);
        let shortest = text.len() - PRICE_DECIMALS as usize + 2;
        let used = text.trim_end_matches('0').len();
        f.write_str(&text[..used.max(shortest)])
    }
}

fn written(amount: i128, decimals: u32) -> String {
    let (sign, amount) = (if amount < 0 { "-" } else { "" }, amount.unsigned_abs());
    if decimals == 0 {
        return format!("{sign}{amount}");
    }
    let unit = 10u128.pow(decimals);
    format!("{sign}{}.{:0width$}", amount / unit, amount % unit, width = decimals as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_no_more_decimals_than_their_currency() {
        let euro = Currency::new("EUR", 2).expect("a currency");
        for (text, cents) in [("500", Some(50_000)), ("499.95", Some(49_995)), ("0.001", None), ("-1", None)]
        {
            assert_eq!(Money::parse(text, &euro), cents.map(Money), "{text}");
        }
    }

    #[test]
    fn prices_read_as_they_are_written() {
        for (text, price, written) in [
            ("2.50", 2_500_000, "2.50"),
            ("2.5", 2_500_000, "2.50"),
            ("0", 0, "0.00"),
            ("0.000001", 1, "0.000001"),
            ("0.0125", 12_500, "0.0125"),
            ("1000000", 1_000_000_000_000, "1000000.00"),
        ] {
            assert_eq!(Price::parse(text), Some(Price(price)), "{text}");
            assert_eq!(Price(price).to_string(), written);
            assert_eq!(Price::parse(written), Some(Price(price)));
        }
        for wrong in ["", ".", "1.", ".5", "-1", "1e3", "0.0000001", "1000000.000001", "1,5", " 1", "+1"] {
            assert_eq!(Price::parse(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn money_is_written_with_the_decimals_of_its_currency() {
        let euro = Currency::new("EUR", 2).expect("a currency");
        for (minor, text) in [(0, "0.00"), (5, "0.05"), (-5, "-0.05"), (123_456, "1234.56")] {
            assert_eq!(euro.written(Money(minor)), text);
        }
        let yen = Currency::new("JPY", 0).expect("a currency");
        assert_eq!(yen.written(Money(-7)), "-7");
        assert!(Currency::new("", 2).is_none() && Currency::new("E R", 2).is_none());
        assert!(Currency::new("EUR", 7).is_none() && Currency::new(&"E".repeat(17), 2).is_none());
    }
}
