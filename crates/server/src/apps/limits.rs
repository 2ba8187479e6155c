//! How much is passed on at once, and how long anybody may take.

use crate::net::limits::{Limits, open_files_at_most};
use std::time::Duration;

/// Connections of callers at once; further ones wait until one ends.
pub const MAX_CONNECTIONS: usize = 4_096;
/// Connections at once that went over to another protocol, such as WebSocket; further ones are refused.
pub const MAX_TUNNELS: usize = 4_096;
/// Looks at the readiness of replicas at once.
pub const MAX_LOOKS: usize = 64;
/// Connections to a replica that are kept for the next request.
pub const MAX_IDLE: usize = 64;
/// How often a request is passed on, the first time included.
pub const MAX_TRIES: usize = 4;
/// Bytes of a request's head, and of what is read at once.
pub const MAX_HEAD: usize = 64 << 10;

/// The bounds of what is passed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppsLimits {
    /// Of the connections of callers. A caller that sends nothing of a body for `body` is cut off.
    pub net: Limits,
    pub tunnels: usize,
    /// Longest wait for a connection to a replica, which is on this machine.
    pub connect: Duration,
    /// Longest wait for the head of an answer: a model may think for a while before it speaks.
    pub answer: Duration,
}

impl Default for AppsLimits {
    fn default() -> AppsLimits {
        // A connection that is passed on takes two files, and leaves others most of them.
        let files = open_files_at_most() / 8;
        let most = |wanted: usize| wanted.min(usize::try_from(files).unwrap_or(wanted)).max(2);
        AppsLimits {
            net: Limits {
                connections: most(MAX_CONNECTIONS),
                watchers: 0,
                head: Duration::from_secs(30),
                body: Duration::from_secs(60),
                // A browser that is busy reads nothing for a while.
                stall: Duration::from_secs(60),
                linger: Duration::from_secs(5),
                ..Limits::default()
            },
            tunnels: most(MAX_TUNNELS),
            connect: Duration::from_secs(2),
            answer: Duration::from_secs(600),
        }
    }
}
