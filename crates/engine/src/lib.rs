//! The books and the decisions of Tidegate. Pure: `now` is an argument, nothing is read or written outside.
//!
//! | where | what |
//! |---|---|
//! | `command`, `event`, `refusal`, `reason` | what goes in and comes out |
//! | `carry_out` | commands: checked, turned into events |
//! | `apply` | events: the only place where state changes |
//! | `pass`, `admit`, `refund`, `plan`, `reservation` | decisions: who starts, who moves, who leaves |
//! | `quota_tree`, `ledger`, `funding`, `queue`, `nodes`, `caps` | the books |
//! | `herd`, `pins`, `muster` | indexes over what runs, for decisions without a search |
//! | `demand`, `workload_names`, `numbers` | from what is submitted to numbers |
//! | `table`, `workload_table` | what is numbered, and the way back to how it was |
//! | `explain`, `books`, `usage` | views for people |

pub mod amounts;
pub mod books;
pub mod caps;
pub mod command;
pub mod engine;
pub mod event;
pub mod explain;
pub mod ids;
pub mod nodes;
pub mod plan;
pub mod policy;
pub mod queue;
pub mod quota_tree;
pub mod reason;
pub mod refusal;
pub mod resources;
pub mod slot;
pub mod state;
pub mod unit;
pub mod usage;
pub mod words;
pub mod workload;

mod admit;
mod apply;
mod bits;
mod carry_out;
mod demand;
mod funding;
mod herd;
mod ledger;
mod muster;
mod name_index;
mod numbers;
mod offer;
mod pass;
mod pins;
mod refund;
mod reservation;
mod session;
mod sorted_set;
mod table;
mod take_back;
mod turn;
mod workload_names;
mod workload_table;

pub use command::{Command, PolicyChange};
pub use engine::Engine;
pub use event::{Event, EventKind};
pub use refusal::Refusal;
