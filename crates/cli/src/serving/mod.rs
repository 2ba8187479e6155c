//! A server in this process: the real one, and the one of the demo.

mod compute;
pub(crate) mod demo;
mod rooms;
pub(crate) mod scenes;
pub(crate) mod serve;
pub(crate) mod start;
