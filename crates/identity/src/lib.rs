//! Who there is, and who may do what. Pure: no clock, no I/O; time is an argument.
//!
//! Everything is a [`Record`] with a number. A [`Change`] says what a record was and what it is now; [`People`] is what
//! all changes together have made. [`may`] decides, and nobody else.

pub mod action;
mod gone;
pub mod may;
pub mod people;
pub mod policy;
pub mod record;
pub mod role;

pub use action::{Action, ActionSet};
pub use may::{Resource, Verdict, Who, may};
pub use people::People;
pub use record::{Change, Record};
