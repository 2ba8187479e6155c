//! What needs no server: files on this machine.

pub(crate) mod config;
pub(crate) mod replay;
pub(crate) mod simulate;
pub(crate) mod store;
