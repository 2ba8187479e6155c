//! Figures for Prometheus: counted as things happen, or looked up when somebody asks.
//!
//! | where | what |
//! |---|---|
//! | `answers` | requests by route, method and status |
//! | `counted` | counters and histograms, fed by the writer and by the way of requests |
//! | `gauges` | the present state, read from the world on every scrape |
//! | `pending` | who waits and why, in small bites |
//! | `stopwatch` | durations |
//!
//! Base units, and no label whose values grow with work: names of quotas and pools, never of workloads.

mod answers;
mod counted;
mod gauges;
mod pending;
mod stopwatch;

pub use counted::{Counted, Tally};
pub use gauges::scrape;
pub use stopwatch::Stopwatch;

/// Stands before every name.
const PREFIX: &str = "tidegate";
