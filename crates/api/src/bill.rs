//! Price books and statements.

use crate::body::{Check, Wrong};
use crate::limits::{MAX_CURRENCY, MAX_PRICED_MODELS};
use crate::metering::UsageRecord;
use crate::name::Name;
use crate::resource::{NewMetadata, resource};
use crate::time::Time;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// Prices of one mode: for one GPU, core or GiB held for an hour, up to six decimals. What is not named has no price; free
/// is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"gpu": {"H100": "2.50"}, "cpu": "0.04", "memory": "0.005", "idleDiscount": "60"})))]
pub struct Tariff {
    /// By model.
    #[serde(default)]
    pub gpu: BTreeMap<Name, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Percent off what is used as idle capacity of others, up to three decimals; none if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_discount: Option<String>,
}

/// What things cost, and from when on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PriceBookSpec {
    /// Letters and digits, such as EUR. Nothing is converted.
    #[schema(min_length = 1, max_length = 16)]
    pub currency: String,
    /// Decimals of what is charged, 0 to 6; 2 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(maximum = 6)]
    pub decimals: Option<u8>,
    /// From when on these prices hold; from now on if absent. Of a book that is there already: not in the past.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<Time>,
    /// By mode: `shared`, `reserved`, `byUsage`, `quota`.
    pub prices: BTreeMap<String, Tariff>,
}

impl Check for PriceBookSpec {
    fn check(&self, wrong: &mut Wrong) {
        wrong.bound("/currency", self.currency.len(), MAX_CURRENCY, "characters");
        for (mode, tariff) in &self.prices {
            wrong.bound(&format!("/prices/{mode}/gpu"), tariff.gpu.len(), MAX_PRICED_MODELS, "GPU models");
        }
        if self.prices.is_empty() {
            wrong.add("/prices", "a price book has prices of at least one mode");
        }
    }
}

/// Prices that hold, held, or will hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PriceVersion {
    pub valid_from: Time,
    /// Absent: until another version is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<Time>,
    pub set_at: Time,
    pub prices: BTreeMap<String, Tariff>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PriceBookStatus {
    /// All versions, the first one first.
    pub versions: Vec<PriceVersion>,
}

resource! {
    /// What use costs. Versions follow each other without a gap; what was in force is never changed.
    PriceBook { kind: PriceBookResource, spec: PriceBookSpec, status: PriceBookStatus }
    /// A price book to create, or to give a new version.
    #[schema(examples(json!({
        "apiVersion": "tidegate.dev/v1", "kind": "PriceBook", "metadata": {"name": "default"},
        "spec": {"currency": "EUR", "prices": {"quota": {"gpu": {"H100": "2.50"}, "idleDiscount": "60"}}}
    })))]
    NewPriceBook { metadata: NewMetadata }
    PriceBookList
}

/// One line of a statement: use of one kind, at one price.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BillLine {
    pub workspace: String,
    /// The quota of the work.
    pub quota: String,
    /// `shared`: work; `reserved` and `byUsage`: capacity, used or not; `quota`: shown, and not part of what is due.
    pub mode: String,
    /// The dedicated compute whose capacity it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<String>,
    pub resource: String,
    pub class: String,
    /// The part of the period that it is about: in which this price held, and of one step if it was cut.
    pub from: Time,
    pub to: Time,
    /// For one GPU, core or GiB and hour.
    pub price: String,
    /// Percent that were taken off, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discount: Option<String>,
    /// Hours of GPUs, cores or GiB, for people.
    pub hours: f64,
    /// The same, exact: thousandths of a GPU or core, or bytes, times milliseconds.
    pub quantity: String,
    /// Rounded once, here: what it adds to the lines of the same kind and price in the parts before.
    pub cost: String,
    /// The correction that it is, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correction: Option<String>,
    /// What it is the sum of, if that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<UsageRecord>,
}

/// What use of a period costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Bill {
    pub from: Time,
    pub to: Time,
    /// Whether the period is over: then only corrections can change what it says.
    #[serde(rename = "final")]
    pub is_final: bool,
    pub as_of: Time,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quota: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<String>,
    pub price_book: String,
    pub currency: String,
    pub lines: Vec<BillLine>,
    /// The sum of all lines but those of quotas.
    pub due: String,
    /// The sum of the lines of quotas, for people to know.
    pub showback: String,
}
