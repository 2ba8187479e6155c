//! The books and the decisions of Tidegate. Pure: `now` is an argument, nothing is read or written outside.

pub mod amounts;
pub mod command;
pub mod engine;
pub mod event;
pub mod ids;
pub mod nodes;
pub mod policy;
pub mod reason;
pub mod refusal;
pub mod resources;
pub mod slot;
pub mod unit;
pub mod words;
pub mod workload;

pub use command::{Command, PolicyChange};
pub use engine::Engine;
pub use event::{Event, EventKind};
pub use refusal::Refusal;
