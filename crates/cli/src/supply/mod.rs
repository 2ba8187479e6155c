//! The physical supply: pools and their nodes.

pub(crate) mod node;
pub(crate) mod pool;
