//! The scheduling center of a workspace: what it allows in its quotas, and who uses how much.

mod flags;
pub(crate) mod policy;
pub(crate) mod usage;
