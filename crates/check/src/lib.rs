//! Verifies what the engine does, from its events alone.
//!
//! Of the engine only the types are used, never its ledger, its placement or its planner: a mistake must
//! be made twice, differently, to pass. Clarity before speed, but every event is judged by what it touches.

mod agreement;
mod batch;
mod caps;
mod checker;
mod grant;
mod lifecycle;
mod line;
mod metering;
mod moves;
mod nodes;
mod operator;
mod overdraft;
mod plan;
mod quotas;
mod room;
mod settle;
mod totals;
mod violation;
mod workloads;
mod world;

pub use checker::Checker;
pub use line::Line;
pub use metering::Metering;
pub use totals::Totals;
pub use violation::{Breach, Figure, Violation};
