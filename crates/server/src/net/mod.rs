//! Connections.

pub mod limits;
pub mod listen;
pub mod rewrite;
pub mod stall;
pub mod tls;
