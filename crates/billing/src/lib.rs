//! What use costs. Pure: no clock, no I/O; time is an argument.
//!
//! Everything is a [`Record`] with a number. A [`Change`] says what a record was and what it is now; [`Business`] is
//! what all changes together have made.
//!
//! # Money
//!
//! Integers throughout. An amount of use is what was held (thousandths of a GPU or core, bytes) times milliseconds; a
//! price is a number of millionths of the currency for one GPU, core or GiB held for an hour; a discount is a number of
//! thousandths of a percent. Their product is exact. It becomes money in one place, [`charge::settle`], once for each
//! line of a statement: rounded half up (half away from zero, so that taking back a line gives what it cost) to the
//! decimals of the price book's currency; a line of a period that was cut costs what it adds. The total of a statement is the sum of its rounded lines.
//!
//! **Invariant:** what a price book says of the past never changes: a version that is in force is neither changed nor
//! removed, and a new one begins no earlier than now.

pub mod advice;
pub mod budget;
pub mod business;
pub mod calendar;
pub mod charge;
pub mod dedicated;
pub mod demand;
pub mod input;
pub mod money;
pub mod price;
pub mod record;
pub mod recurrence;
mod replay;
pub mod route;
pub mod scaling;
pub mod statement;
pub mod template;

pub use business::Business;
pub use record::{Change, Record};
