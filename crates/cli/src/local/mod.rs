//! What needs no server: files on this machine.

pub(crate) mod simulate;
pub(crate) mod store;
