//! Amounts of a report: one bare number of GPUs, or one figure for each model, CPU and memory.

use serde_json::{Map, Number, Value};
use tidegate_engine::amounts::Amount;
use tidegate_engine::resources::{Dimension, Resources};
use tidegate_engine::unit::Draw;

/// Amounts with the names that people know them by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figures(Vec<Figure>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Figure {
    /// `None` for the GPUs of a pool with one model.
    name: Option<Box<str>>,
    /// Thousandths, or bytes.
    value: i64,
    bytes: bool,
}

impl Figures {
    /// The amounts of `r` in these dimensions. Nothing at all reads as no GPUs.
    pub(crate) fn of(r: &Resources, dimensions: &[Dimension], models: &[Box<str>]) -> Figures {
        let mut figures: Vec<Figure> = dimensions.iter().map(|&d| Figure::new(d, r[d], models)).collect();
        if figures.is_empty() {
            figures.push(Figure { name: None, value: 0, bytes: false });
        }
        Figures(figures)
    }

    /// What `draws` take, whatever the rule.
    pub(crate) fn of_draws<'a>(draws: impl Iterator<Item = &'a Draw>, models: &[Box<str>]) -> Figures {
        let mut sum = Resources::default();
        for draw in draws {
            sum[draw.dimension] += draw.amount;
        }
        let stated: Vec<Dimension> = sum.stated().map(|(d, _)| d).collect();
        Figures::of(&sum, &stated, models)
    }

    /// `48`, `0.5`, `H100:48,A100:16`, `8,cpu:4,memory:16GiB`.
    pub fn text(&self) -> String {
        self.0.iter().map(Figure::text).collect::<Vec<_>>().join(",")
    }

    /// For a table: as `text`, but nothing at all is `0`.
    pub(crate) fn cell(&self) -> String {
        if self.0.iter().all(|figure| figure.value == 0) { "0".into() } else { self.text() }
    }

    /// A number, or an object of numbers; memory in bytes.
    pub fn json(&self) -> Value {
        match &self.0[..] {
            [Figure { name: None, value, .. }] => milli(*value),
            figures => {
                let key = |f: &Figure| f.name.as_deref().unwrap_or("gpu").to_string();
                Value::Object(figures.iter().map(|f| (key(f), f.json())).collect::<Map<_, _>>())
            }
        }
    }
}

impl Figure {
    fn new(dimension: Dimension, value: i64, models: &[Box<str>]) -> Figure {
        let name: Option<Box<str>> = match dimension.model() {
            Some(_) if models.len() < 2 => None,
            Some(model) => Some(models.get(model.index()).map_or("unknown".into(), Clone::clone)),
            None if dimension == Dimension::CPU => Some("cpu".into()),
            None => Some("memory".into()),
        };
        Figure { name, value, bytes: dimension == Dimension::MEMORY }
    }

    fn text(&self) -> String {
        let value =
            if self.bytes { Amount::bytes(self.value).replace(' ', "") } else { Amount::milli(self.value) };
        match &self.name {
            Some(name) => format!("{name}:{value}"),
            None => value,
        }
    }

    fn json(&self) -> Value {
        if self.bytes { self.value.into() } else { milli(self.value) }
    }
}

/// Thousandths as a number: whole if it is one.
fn milli(value: i64) -> Value {
    if value % 1_000 == 0 {
        return (value / 1_000).into();
    }
    Number::from_f64(value as f64 / 1_000.0).map_or(Value::Null, Value::Number)
}
