//! How long a client may take, and how many there may be.

use crate::apps::limits as apps;
use std::time::Duration;
use tidegate_api::limits::MAX_WATCHERS;

/// Connections at once. Watchers are most of them; each costs some 20 KiB.
pub const MAX_CONNECTIONS: usize = 16_384;
/// Tasks of one workspace that may wait on shared compute if nobody says otherwise: an hour's work of eight GPUs with
/// three seconds each.
pub const MAX_SHARED_TASKS: u32 = 10_000;
/// Descriptors for everything but connections: the store, logs, the executor.
const OTHER_DESCRIPTORS: u64 = 512;

/// The bounds of one server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections at once; further ones wait until one ends.
    pub connections: usize,
    /// Watchers at once; further ones are refused. Fewer than connections, so that others get through.
    pub watchers: usize,
    /// A client has this long to send the head of a request, and so has a TLS handshake.
    pub head: Duration,
    /// A client has this long to send a body, however large.
    pub body: Duration,
    /// A client that takes nothing for this long while something is to be sent is cut off. What was in flight is with
    /// its kernel, so this is about clients that have stopped, not about slow networks.
    pub stall: Duration,
    /// How long requests in flight may take to end when the server goes down.
    pub linger: Duration,
    /// Tasks of one workspace that may wait in the queue of a shared quota.
    pub shared_tasks: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: MAX_CONNECTIONS,
            watchers: MAX_WATCHERS,
            head: Duration::from_secs(10),
            body: Duration::from_secs(30),
            stall: Duration::from_secs(10),
            linger: Duration::from_secs(5),
            shared_tasks: MAX_SHARED_TASKS,
        }
    }
}

impl Limits {
    /// Lowers what counts connections to what the limit of open files allows, which is raised as far as it is needed
    /// and allowed.
    pub fn within_open_files(self) -> Limits {
        self.within(open_files_at_most())
    }

    fn within(mut self, files: u64) -> Limits {
        let left = usize::try_from(files.saturating_sub(OTHER_DESCRIPTORS)).unwrap_or(usize::MAX);
        self.connections = self.connections.min(left).max(2);
        // A quarter stays for those who do not watch, if it is tight.
        self.watchers = self.watchers.min(self.connections - self.connections.div_ceil(4));
        self
    }
}

/// How many files may be open, with the limit raised as far as everything of the server needs and is allowed.
pub fn open_files_at_most() -> u64 {
    // What is passed on takes two for each connection, whether it went over to another protocol or not.
    let apps = 2 * (apps::MAX_CONNECTIONS + apps::MAX_TUNNELS) as u64;
    open_files(MAX_CONNECTIONS as u64 + apps + OTHER_DESCRIPTORS)
}

/// Raises the limit of open files to `wanted` if that is allowed, and says what it is.
fn open_files(wanted: u64) -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(wanted, |maximum| wanted.min(maximum));
    if limit.current.is_some_and(|current| current < wanted) {
        let raised = Rlimit { current: Some(wanted), maximum: limit.maximum };
        if let Err(error) = setrlimit(Resource::Nofile, raised) {
            tracing::warn!(%error, wanted, "the limit of open files cannot be raised");
        }
    }
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn watchers_leave_room_for_others() {
        for (files, connections, watchers) in [
            (0, 2, 1),
            (1_024, 512, 384),
            (20_000, MAX_CONNECTIONS, MAX_WATCHERS),
            (u64::MAX, MAX_CONNECTIONS, MAX_WATCHERS),
        ] {
            let limits = Limits::default().within(files);
            assert_eq!((limits.connections, limits.watchers), (connections, watchers), "{files} files");
        }
    }

    #[test]
    fn the_limit_of_open_files_is_raised() {
        use rustix::process::{Resource, getrlimit};
        let limits = Limits::default().within_open_files();
        let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        assert!(files > limits.connections as u64, "{files} files, {limits:?}");
    }
}
