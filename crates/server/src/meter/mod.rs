//! The meter: who used what of which account, from when to when. Derived from the log, and from nothing else.
//!
//! | where | what |
//! |---|---|
//! | `follower` | what each entry of the log brings about: the records that it ends |
//! | `capacity` | what dedicated compute holds, used or not |
//! | `ledger` | records in a file beside the log, with how far the log was followed |
//! | `reading` | records of a period, and their sums |
//! | `tasks` | tasks that have ended, put together from their records |
//! | `run` | follows the log |
//!
//! **Invariant:** how far the log was followed, what goes on, and the records that this brought about are written as
//! one; so each record is there once, whatever is killed, and a file that is lost is made anew from the log.
//!
//! **Invariant:** the log is archived no further than it was followed.

mod capacity;
mod follower;
mod ledger;
mod reading;
mod run;
mod tasks;

pub use capacity::Holding;
pub use follower::{Follower, Kind, News, Places, Use};
pub use ledger::{Ledger, Place};
pub use reading::{Listed, Tally, Wanted};
pub use run::{Behind, Meter, kept};
pub use tasks::PastTasks;
