//! What a workspace means to spend in a month.

use crate::body::{Check, Wrong};
use crate::name::Name;
use crate::page::PageToken;
use crate::time::Time;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A budget to set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"amount": "500.00", "stop": true})))]
pub struct NewBudget {
    /// For each calendar month in UTC, in the currency of the price book and with no more decimals than it has.
    pub amount: String,
    /// Whose prices and currency it goes by; `default`, or the only one, if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price_book: Option<Name>,
    /// Whether no task begins on shared compute once all of it is spent; false if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<bool>,
}

impl Check for NewBudget {
    fn check(&self, wrong: &mut Wrong) {
        wrong.bound("/amount", self.amount.len(), 32, "characters");
    }
}

/// A part of a month's budget that was spent, and when that was noticed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BudgetAlert {
    /// 50, 80 or 100.
    pub percent: u32,
    pub at: Time,
}

/// What a workspace means to spend in a month, and how far it has come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({"workspace": "team-b", "amount": "500.00", "currency": "EUR", "priceBook": "default", "stop": true,
    "from": "2026-01-01T00:00:00Z", "to": "2026-02-01T00:00:00Z", "spent": "412.50", "percent": 82.5, "exhausted": false,
    "alerts": [{"percent": 50, "at": "2026-01-14T09:31:00Z"}, {"percent": 80, "at": "2026-01-24T17:02:00Z"}],
    "setAt": "2026-01-01T08:00:00Z", "setBy": "admin", "version": "17"})))]
pub struct Budget {
    pub workspace: Name,
    pub amount: String,
    pub currency: String,
    pub price_book: String,
    pub stop: bool,
    /// This month.
    pub from: Time,
    pub to: Time,
    /// What is due for this month so far: shared tasks and dedicated compute. Absent where it cannot be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percent: Option<f64>,
    /// Why it cannot be told: something that was used has no price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// No task of the workspace begins on shared compute for the rest of the month.
    pub exhausted: bool,
    /// What was told of this month.
    pub alerts: Vec<BudgetAlert>,
    pub set_at: Time,
    pub set_by: String,
    /// Changes with every change; also the ETag.
    pub version: String,
}

/// A page of budgets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BudgetList {
    pub items: Vec<Budget>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_page_token: Option<PageToken>,
}
