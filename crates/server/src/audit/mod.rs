//! Who changed what, read back from the log: there is no second copy, and nothing here writes.
//!
//! | where | what |
//! |---|---|
//! | `scan` | goes back through the log, newest first, and passes over what nobody asked for |
//! | `gone` | workloads that have left memory, and whose they were |
//! | `submitted` | what was submitted as a workload of which nothing else is left |
//! | `shown` | an entry as somebody may read it |
//! | `record` | users, workspaces and what belongs to them, without secrets |
//! | `business` | price books, templates and what else bills need |
//! | `page` | all of that together, a page at a time |

mod business;
pub(crate) mod gone;
mod page;
mod record;
mod scan;
mod shown;
mod submitted;

pub use page::{Looked, look};
pub use scan::Wanted;
