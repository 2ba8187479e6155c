//! What things cost, and from when on.

use crate::money::{Currency, Price};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use tidegate_engine::ids::Tick;
use tidegate_engine::words::Class;

/// A price book, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PriceBookId(pub u32);

/// What is held and paid for. Models by name: the numbers that the engine gives them differ from pool to pool.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Resource {
    Gpu(Arc<str>),
    Cpu,
    Memory,
}

impl std::fmt::Display for Resource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Resource::Gpu(model) => write!(f, "gpu:{model}"),
            Resource::Cpu => f.write_str("cpu"),
            Resource::Memory => f.write_str("memory"),
        }
    }
}

impl Resource {
    /// How much of the amount that is counted is one of what is priced: a GPU, a core, a GiB.
    pub fn unit(&self) -> i128 {
        match self {
            Resource::Gpu(_) | Resource::Cpu => tidegate_engine::resources::WHOLE.into(),
            Resource::Memory => 1 << 30,
        }
    }

    pub fn parse(text: &str) -> Option<Resource> {
        match text {
            "cpu" => Some(Resource::Cpu),
            "memory" => Some(Resource::Memory),
            _ => text.strip_prefix("gpu:").filter(|model| !model.is_empty()).map(|m| Resource::Gpu(m.into())),
        }
    }
}

/// How somebody came to what they use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Mode {
    /// A task on compute for everybody: paid for while it runs.
    Shared,
    /// Dedicated for a time, used or not.
    Reserved,
    /// Dedicated, as much as was scaled out.
    ByUsage,
    /// Work in a quota: shown, so that people know what it would cost.
    Quota,
}

impl Mode {
    pub const ALL: [Mode; 4] = [Mode::Shared, Mode::Reserved, Mode::ByUsage, Mode::Quota];

    pub fn word(self) -> &'static str {
        match self {
            Mode::Shared => "shared",
            Mode::Reserved => "reserved",
            Mode::ByUsage => "byUsage",
            Mode::Quota => "quota",
        }
    }

    pub fn parse(text: &str) -> Option<Mode> {
        Mode::ALL.into_iter().find(|mode| mode.word() == text)
    }
}

/// Prices of one mode. What is not named has no price, and using it is an error of the price book: free is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tariff {
    pub gpu: BTreeMap<Box<str>, Price>,
    pub cpu: Option<Price>,
    pub memory: Option<Price>,
    /// Off what was used as idle capacity, in thousandths of a percent.
    pub idle_discount: Discount,
}

/// In thousandths of a percent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Discount(pub u32);

impl Discount {
    pub const ALL: Discount = Discount(100_000);
}

/// A price and what is taken off it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Rate {
    pub price: Price,
    pub discount: Discount,
}

/// What holds from a time on, until the next version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriceVersion {
    pub from: Tick,
    /// When somebody set it.
    pub set: Tick,
    pub tariffs: BTreeMap<Mode, Tariff>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriceBook {
    pub id: PriceBookId,
    pub name: Box<str>,
    pub currency: Currency,
    /// Ascending by `from`, at least one.
    pub versions: Vec<PriceVersion>,
    pub created: Tick,
}

/// Why something has no price.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoPrice {
    /// Before the first version.
    TooEarly { first: Tick },
    /// The book does not name it.
    Missing { mode: Mode, resource: Resource, version: Tick },
}

impl PriceBook {
    /// When the version began that is in force at a time.
    pub fn version_at(&self, at: Tick) -> Result<&PriceVersion, NoPrice> {
        let later = self.versions.partition_point(|version| version.from <= at);
        let first = self.versions.first().map_or(Tick(u64::MAX), |version| version.from);
        later.checked_sub(1).and_then(|i| self.versions.get(i)).ok_or(NoPrice::TooEarly { first })
    }

    /// The book with another version, which holds from a time that has not come yet. Versions that would have begun
    /// at that time or later are not in force yet either, and go.
    pub fn with(&self, version: PriceVersion, now: Tick) -> Result<PriceBook, NotBefore> {
        if version.from < now {
            return Err(NotBefore { from: version.from, now });
        }
        let mut versions = self.versions.clone();
        versions.retain(|other| other.from < version.from);
        versions.push(version);
        Ok(PriceBook { versions, ..self.clone() })
    }
}

/// A version would have changed what was charged already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotBefore {
    pub from: Tick,
    pub now: Tick,
}

impl PriceVersion {
    pub fn rate(&self, mode: Mode, resource: &Resource, class: Class) -> Result<Rate, NoPrice> {
        let tariff = self.tariffs.get(&mode);
        let price = tariff.and_then(|tariff| match resource {
            Resource::Gpu(model) => tariff.gpu.get(&**model).copied(),
            Resource::Cpu => tariff.cpu,
            Resource::Memory => tariff.memory,
        });
        let missing = || NoPrice::Missing { mode, resource: resource.clone(), version: self.from };
        let price = price.ok_or_else(missing)?;
        let discount = match (class, tariff) {
            (Class::Idle, Some(tariff)) => tariff.idle_discount,
            _ => Discount::default(),
        };
        Ok(Rate { price, discount })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(from: u64, price: u64) -> PriceVersion {
        let gpu = BTreeMap::from([("H100".into(), Price(price))]);
        let tariff = Tariff { gpu, cpu: Some(Price(0)), memory: None, idle_discount: Discount(60_000) };
        PriceVersion { from: Tick(from), set: Tick(0), tariffs: BTreeMap::from([(Mode::Quota, tariff)]) }
    }

    fn book() -> PriceBook {
        PriceBook {
            id: PriceBookId(0),
            name: "default".into(),
            currency: Currency::new("EUR", 2).expect("a currency"),
            versions: vec![version(100, 1), version(200, 2)],
            created: Tick(0),
        }
    }

    #[test]
    fn each_instant_has_one_version_but_for_those_before_the_first() {
        let book = book();
        assert_eq!(book.version_at(Tick(99)), Err(NoPrice::TooEarly { first: Tick(100) }));
        for (at, from) in [(100, 100), (199, 100), (200, 200), (u64::MAX, 200)] {
            assert_eq!(book.version_at(Tick(at)).map(|version| version.from), Ok(Tick(from)));
        }
    }

    #[test]
    fn a_new_version_never_changes_the_past() {
        let book = book();
        assert_eq!(book.with(version(149, 9), Tick(150)), Err(NotBefore { from: Tick(149), now: Tick(150) }));
        let froms = |book: PriceBook| book.versions.iter().map(|version| version.from.0).collect::<Vec<_>>();
        assert_eq!(book.with(version(150, 9), Tick(150)).map(froms), Ok(vec![100, 150]));
        assert_eq!(book.with(version(250, 9), Tick(150)).map(froms), Ok(vec![100, 200, 250]));
        assert_eq!(book.with(version(200, 9), Tick(150)).map(froms), Ok(vec![100, 200]));
    }

    #[test]
    fn what_is_not_named_has_no_price_and_free_is_said() {
        let version = version(0, 7);
        let rate = |mode, resource: &str, class| {
            version.rate(mode, &Resource::parse(resource).expect("a resource"), class).ok()
        };
        let plain = |price| Some(Rate { price: Price(price), discount: Discount(0) });
        assert_eq!(rate(Mode::Quota, "gpu:H100", Class::Firm), plain(7));
        assert_eq!(rate(Mode::Quota, "gpu:H100", Class::Loan), plain(7));
        let off = Some(Rate { price: Price(7), discount: Discount(60_000) });
        assert_eq!(rate(Mode::Quota, "gpu:H100", Class::Idle), off);
        assert_eq!(rate(Mode::Quota, "cpu", Class::Firm), plain(0));
        for missing in ["gpu:A100", "memory"] {
            assert_eq!(rate(Mode::Quota, missing, Class::Firm), None);
        }
        assert_eq!(rate(Mode::Shared, "cpu", Class::Firm), None);
    }

    #[test]
    fn words_lead_back() {
        for mode in Mode::ALL {
            assert_eq!(Mode::parse(mode.word()), Some(mode));
        }
        for word in ["gpu:H100", "cpu", "memory"] {
            assert_eq!(Resource::parse(word).map(|resource| resource.to_string()).as_deref(), Some(word));
        }
        assert_eq!(Resource::parse("gpu:"), None);
    }
}
