//! Hand-made histories: legal ones pass, and every kind of breach is found.

mod agreement;
mod caps;
mod eligibility;
mod grants;
mod history;
mod ledger;
mod lifecycle;
mod metering;
mod operator;
mod plans;
