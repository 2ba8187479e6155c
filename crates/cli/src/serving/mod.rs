//! A server in this process: the real one, and the one of the demo.

pub(crate) mod demo;
pub(crate) mod scenes;
pub(crate) mod serve;
pub(crate) mod start;
