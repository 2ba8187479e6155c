//! Webhooks: workspaces are told what happens to their workloads.
//!
//! | where | what |
//! |---|---|
//! | `address` | which addresses may be asked: no way into the network that the server stands in |
//! | `post` | one message to one address: checked, connected to what was checked, never redirected |
//! | `sign` | how a receiver knows that a message is from here |
//! | `notices` | which events somebody is told of, and in which words |
//! | `ledger` | what was told, what is still to be told, what nobody took; a file beside the log |
//! | `courier` | follows the log and carries messages |
//!
//! **Invariant:** how far the log was followed and what that brought about are written as one; so whatever happens to
//! the process, every event that somebody wants to be told of is told at least once, or is listed as dead.

mod address;
mod courier;
mod ledger;
mod notices;
mod post;
mod sign;

pub use address::Target;
pub use courier::Hooks;
pub use ledger::{Kept, State};
pub use post::Outcome;

use std::time::Duration;
use tidegate_engine::ids::Span;

/// How patient the server is with receivers.
#[derive(Clone, Debug)]
pub struct HookLimits {
    /// For a whole exchange, the look-up of the name included.
    pub timeout: Duration,
    /// Before the second try. Each further pause is three times as long: the tenth try comes after about a day.
    pub first_pause: Span,
    pub tries: u32,
    /// How often it is looked whether something is due.
    pub tick: Duration,
    /// Certificates of authorities that are trusted beside those of the machine.
    pub roots: Vec<rustls::pki_types::CertificateDer<'static>>,
}

impl Default for HookLimits {
    fn default() -> HookLimits {
        HookLimits {
            timeout: Duration::from_secs(10),
            first_pause: Span::seconds(10),
            tries: 10,
            tick: Duration::from_secs(1),
            roots: Vec::new(),
        }
    }
}

impl HookLimits {
    /// How long to wait after so many tries.
    pub fn pause(&self, tries: u32) -> Span {
        let factor = 3u64.saturating_pow(tries.saturating_sub(1));
        Span(self.first_pause.0.saturating_mul(factor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_tries_take_about_a_day() {
        let limits = HookLimits::default();
        let all: u64 = (1..limits.tries).map(|tries| limits.pause(tries).0).sum();
        assert!((24..30).contains(&(all / 3_600_000)), "{} h", all / 3_600_000);
        assert_eq!(limits.pause(u32::MAX).0, u64::MAX);
    }
}
