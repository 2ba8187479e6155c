//! Price books as they are written, with decimals and words; and as they are kept, with integers.

use std::collections::BTreeMap;
use tidegate_api::bill::{self, PriceBookSpec, PriceBookStatus};
use tidegate_api::name::Name;
use tidegate_api::pointer::Pointer;
use tidegate_api::problem::{Code, Problem};
use tidegate_api::resource::{Labels, Metadata};
use tidegate_api::time::Time;
use tidegate_billing::business::Versioned;
use tidegate_billing::money::{Currency, Price};
use tidegate_billing::price::{Discount, Mode, NoPrice, PriceBook, Tariff};
use tidegate_engine::Engine;
use tidegate_engine::ids::Tick;

pub fn currency(spec: &PriceBookSpec) -> Result<Currency, Problem> {
    let decimals = spec.decimals.unwrap_or(Currency::DECIMALS);
    Currency::new(&spec.currency, decimals).ok_or_else(|| {
        let detail = format!(
            "a currency is 1 to 16 letters or digits with 0 to 6 decimals; this is {:?} with {decimals}",
            spec.currency
        );
        Problem::new(Code::Invalid, detail).at("/spec/currency")
    })
}

/// Prices of all modes. A GPU model that no pool has is an error: it is a slip of the pen, and would be found by a bill.
pub fn tariffs(spec: &PriceBookSpec, engine: &Engine) -> Result<BTreeMap<Mode, Tariff>, Problem> {
    let (mut tariffs, mut wrong, mut unknown) = (BTreeMap::new(), Vec::new(), Vec::new());
    for (word, given) in &spec.prices {
        let at = format!("/spec/prices/{word}");
        let Some(mode) = Mode::parse(word) else {
            let known = Mode::ALL.map(Mode::word).join(", ");
            wrong.push(Pointer::new(at, format!("there is no mode {word:?}; there are {known}")));
            continue;
        };
        let mut price = |text: &String, at: String| {
            let price = Price::parse(text);
            if price.is_none() {
                let most = Price::MAX;
                wrong.push(Pointer::new(
                    at,
                    format!("{text:?} is not a price such as \"2.50\", 0 to {most} with up to six decimals"),
                ));
            }
            price.unwrap_or_default()
        };
        let mut gpu = BTreeMap::new();
        for (model, text) in &given.gpu {
            let at = format!("{at}/gpu/{model}");
            if !engine.pools().iter().any(|pool| pool.models.iter().any(|known| **known == *model.as_str())) {
                unknown.push(Pointer::new(at.clone(), format!("no pool has GPUs of model {model}")));
            }
            gpu.insert(model.as_str().into(), price(text, at));
        }
        let cpu = given.cpu.as_ref().map(|text| price(text, format!("{at}/cpu")));
        let memory = given.memory.as_ref().map(|text| price(text, format!("{at}/memory")));
        let idle_discount = match given.idle_discount.as_deref().map(discount) {
            None => Discount::default(),
            Some(Some(discount)) => discount,
            Some(None) => {
                let detail = "a discount is 0 to 100 percent with up to three decimals, such as \"60\"";
                wrong.push(Pointer::new(format!("{at}/idleDiscount"), detail));
                continue;
            }
        };
        tariffs.insert(mode, Tariff { gpu, cpu, memory, idle_discount });
    }
    if let Some(problem) = Problem::invalid(wrong) {
        return Err(problem);
    }
    match unknown.first() {
        None => Ok(tariffs),
        Some(first) => {
            let problem = Problem::new(Code::UnknownReference, first.detail.clone());
            Err(unknown.into_iter().fold(problem, |problem, pointer| problem.at(pointer.pointer)))
        }
    }
}

/// `60`, or `33.333`.
fn discount(percent: &str) -> Option<Discount> {
    // Thousandths of a percent: what a price has as its first three decimals.
    let price = Price::parse(percent)?.0;
    let thousandths = u32::try_from(price / 1_000).ok()?;
    (price % 1_000 == 0 && thousandths <= Discount::ALL.0).then_some(Discount(thousandths))
}

/// A discount as it is written; `None` if there is none.
pub fn percent(discount: Discount) -> Option<String> {
    let (whole, part) = (discount.0 / 1_000, discount.0 % 1_000);
    let text =
        if part == 0 { whole.to_string() } else { format!("{whole}.{part:03}").trim_end_matches('0').into() };
    (discount.0 > 0).then_some(text)
}

fn written(tariffs: &BTreeMap<Mode, Tariff>) -> BTreeMap<String, bill::Tariff> {
    let price = |price: &Price| price.to_string();
    let tariff = |tariff: &Tariff| bill::Tariff {
        gpu: tariff
            .gpu
            .iter()
            .filter_map(|(model, of)| Some((model.parse::<Name>().ok()?, price(of))))
            .collect(),
        cpu: tariff.cpu.as_ref().map(price),
        memory: tariff.memory.as_ref().map(price),
        idle_discount: percent(tariff.idle_discount),
    };
    tariffs.iter().map(|(mode, of)| (mode.word().to_string(), tariff(of))).collect()
}

/// A price book as it is shown; its spec says what holds now, or will hold first.
pub fn shown(book: &Versioned<PriceBook>, now: Tick) -> Result<bill::PriceBook, Problem> {
    let Versioned { record, version } = book;
    let name = record.name.parse().map_err(|_| Problem::new(Code::Internal, "the book has no name"))?;
    let metadata = Metadata {
        name,
        uid: format!("pb-{}", record.id.0),
        created_at: Time::of(record.created),
        version: version.to_string(),
        labels: Labels::default(),
    };
    let ends = record.versions.iter().skip(1).map(|next| Some(Time::of(next.from))).chain([None]);
    let versions = record.versions.iter().zip(ends).map(|(version, valid_to)| bill::PriceVersion {
        valid_from: Time::of(version.from),
        valid_to,
        set_at: Time::of(version.set),
        prices: written(&version.tariffs),
    });
    let current = record.version_at(now).ok().or(record.versions.first());
    let spec = PriceBookSpec {
        currency: record.currency.code.to_string(),
        decimals: Some(record.currency.decimals),
        valid_from: current.map(|version| Time::of(version.from)),
        prices: current.map(|version| written(&version.tariffs)).unwrap_or_default(),
    };
    Ok(bill::PriceBook::new(metadata, spec, PriceBookStatus { versions: versions.collect() }))
}

/// Why something cannot be charged.
pub fn no_price(book: &PriceBook, why: NoPrice) -> Problem {
    let name = &book.name;
    let (detail, hint) = match why {
        NoPrice::TooEarly { first } => (
            format!("the prices of {name} begin at {}, and there was use before", Time::of(first)),
            "ask for a period that begins then, or later".to_string(),
        ),
        NoPrice::Missing { mode, resource, version } => (
            format!(
                "{name} has no price of {resource} for {} since {}, and it was used",
                mode.word(),
                Time::of(version)
            ),
            format!("set one from now on with `tidegate price set {name}`; what is free has the price 0"),
        ),
    };
    Problem::new(Code::NoPrice, detail).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn discounts_read_as_they_are_written() {
        for (text, thousandths) in [("60", 60_000), ("33.333", 33_333), ("12.5", 12_500), ("100", 100_000)] {
            assert_eq!(discount(text), Some(Discount(thousandths)), "{text}");
            assert_eq!(percent(Discount(thousandths)).as_deref(), Some(text));
        }
        assert_eq!(percent(Discount(0)), None);
        for wrong in ["101", "-1", "0.0001", "ten", ""] {
            assert_eq!(discount(wrong), None, "{wrong:?}");
        }
    }
}
