//! Links that let a browser in once, and the sessions that follow from them. Kept in memory: a restart of the server
//! ends them all.

use crate::token::TokenHash;
use std::collections::BTreeMap;
use tidegate_engine::ids::{MemberId, Span, Tick, WorkloadId};

/// How long a link can be followed.
pub const TICKET_TIME: Span = Span::seconds(60);
/// How long a browser is let in after that.
pub const SESSION_TIME: Span = Span::hours(12);
/// Links that nobody has followed yet. Above that, the oldest is void.
pub(super) const MAX_TICKETS: usize = 1_024;
/// Browsers that are let in. Above that, the one that would end first is sent away.
pub(super) const MAX_SESSIONS: usize = 16_384;

/// Who may use which workload until when, by the hash of a secret: looking one up tells nobody how much of a guess
/// was right.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    tickets: BTreeMap<TokenHash, Grant>,
    sessions: BTreeMap<TokenHash, Grant>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Grant {
    workload: WorkloadId,
    /// Who was let in: it must still be allowed.
    user: MemberId,
    until: Tick,
}

impl Sessions {
    /// Makes a link with this secret; when it expires.
    pub(super) fn invite(&mut self, secret: &str, workload: WorkloadId, user: MemberId, now: Tick) -> Tick {
        let until = now.after(TICKET_TIME);
        add(&mut self.tickets, MAX_TICKETS, secret, Grant { workload, user, until }, now);
        until
    }

    /// Somebody follows a link: the workload and who was invited, if it is good. It is good once.
    pub(super) fn follow(&mut self, secret: &str, now: Tick) -> Option<(WorkloadId, MemberId)> {
        let grant = self.tickets.remove(&TokenHash::of(secret))?;
        (now < grant.until).then_some((grant.workload, grant.user))
    }

    pub(super) fn begin(&mut self, secret: &str, workload: WorkloadId, user: MemberId, now: Tick) {
        let grant = Grant { workload, user, until: now.after(SESSION_TIME) };
        add(&mut self.sessions, MAX_SESSIONS, secret, grant, now);
    }

    /// Who was let into this workload with this secret.
    pub(super) fn lets_in(&self, secret: &str, workload: WorkloadId, now: Tick) -> Option<MemberId> {
        let grant = self.sessions.get(&TokenHash::of(secret))?;
        (grant.workload == workload && now < grant.until).then_some(grant.user)
    }

    /// A workload has ended, and with it all that let somebody in.
    pub(super) fn end(&mut self, workload: WorkloadId) {
        for grants in [&mut self.tickets, &mut self.sessions] {
            grants.retain(|_, grant| grant.workload != workload);
        }
    }

    /// Workloads that somebody may use.
    pub(super) fn workloads(&self) -> Vec<WorkloadId> {
        let mut all: Vec<WorkloadId> =
            self.tickets.values().chain(self.sessions.values()).map(|grant| grant.workload).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

fn add(grants: &mut BTreeMap<TokenHash, Grant>, most: usize, secret: &str, grant: Grant, now: Tick) {
    if grants.len() >= most {
        grants.retain(|_, grant| now < grant.until);
    }
    if grants.len() >= most {
        let first = grants.iter().min_by_key(|(_, grant)| grant.until).map(|(key, _)| *key);
        first.map(|key| grants.remove(&key));
    }
    grants.insert(TokenHash::of(secret), grant);
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTE: WorkloadId = WorkloadId(1);
    const OTHER: WorkloadId = WorkloadId(2);
    const ME: MemberId = MemberId(3);

    #[test]
    fn a_link_is_good_once_and_for_a_minute() {
        let mut all = Sessions::default();
        assert_eq!(all.invite("a", NOTE, ME, Tick(0)), Tick(60_000));
        all.invite("late", NOTE, ME, Tick(0));
        assert_eq!(all.follow("b", Tick(1)), None);
        assert_eq!(all.follow("a", Tick(59_999)), Some((NOTE, ME)));
        assert_eq!(all.follow("a", Tick(59_999)), None, "once");
        assert_eq!(all.follow("late", Tick(60_000)), None, "too late");
    }

    #[test]
    fn a_session_is_for_one_workload_and_half_a_day() {
        let mut all = Sessions::default();
        all.begin("s", NOTE, ME, Tick(0));
        let end = Tick(0).after(SESSION_TIME);
        assert_eq!(all.lets_in("s", NOTE, Tick(end.0 - 1)), Some(ME));
        assert_eq!(all.lets_in("s", NOTE, end), None, "it has ended");
        assert_eq!(all.lets_in("s", OTHER, Tick(0)), None, "another workload");
        assert_eq!(all.lets_in("t", NOTE, Tick(0)), None, "another secret");
        assert_eq!(all.workloads(), [NOTE]);
        all.end(NOTE);
        assert_eq!(all.lets_in("s", NOTE, Tick(0)), None, "the workload has ended");
    }

    #[test]
    fn there_are_not_more_than_the_bound() {
        let mut all = Sessions::default();
        for number in 0..=MAX_TICKETS as u64 {
            all.invite(&number.to_string(), NOTE, ME, Tick(number));
        }
        assert_eq!(all.tickets.len(), MAX_TICKETS);
        let now = Tick(MAX_TICKETS as u64);
        assert_eq!(all.follow("0", now), None, "the oldest went");
        assert_eq!(all.follow("1", now), Some((NOTE, ME)));
        all.invite("new", OTHER, ME, Tick(200_000));
        all.invite("newer", OTHER, ME, Tick(200_000));
        assert_eq!(all.tickets.len(), 2, "those that have expired go first");
    }
}
