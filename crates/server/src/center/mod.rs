//! The scheduling center: what a workspace allows in each of its quotas, and what happens by time because of it.
//!
//! | where | what |
//! |---|---|
//! | `wire` | policies as they are written, and as they are kept |
//! | `idle` | whether a notebook does anything |
//! | `clockwork` | stops notebooks that wait or idle for too long |
//! | `usage` | who uses how much |

pub mod clockwork;
pub mod idle;
pub mod usage;
pub mod wire;
