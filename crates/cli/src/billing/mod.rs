//! What was used, what it costs: records, sums, prices, statements.

mod advice;
pub(crate) mod bill;
pub(crate) mod budget;
mod export;
mod period;
pub(crate) mod price;
pub(crate) mod usage;
