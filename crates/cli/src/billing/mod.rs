//! What was used, what it costs: records, sums, prices, statements.

pub(crate) mod bill;
mod period;
pub(crate) mod price;
pub(crate) mod usage;
