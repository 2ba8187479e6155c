//! The log: what this release wrote, every later one reads; what a snapshot tells is what the log tells.

mod capacity;
mod golden;
mod history;
mod metering;
mod records;
mod snapshots;
