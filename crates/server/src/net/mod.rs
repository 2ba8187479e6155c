//! Connections.

pub mod listen;
pub mod rewrite;
pub mod tls;
