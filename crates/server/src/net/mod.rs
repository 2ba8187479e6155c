//! Connections.

pub mod lanes;
pub mod limits;
pub mod listen;
pub mod outgoing;
pub mod rewrite;
pub mod stall;
pub mod tls;
