//! Names under seal. What is written once for many readers names workloads and quotas that not all of them may see; each
//! such name is written with what stands for it, and is opened for each reader on the way out: one function redacts.

use super::world::World;
use std::borrow::Cow;
use tidegate_api::uid;
use tidegate_engine::caps::Holder;
use tidegate_engine::ids::{NodeId, PoolId, QuotaId, Tick, WorkloadId};
use tidegate_engine::reason::{Names, described};
use tidegate_engine::resources::Dimension;
use tidegate_sim::report::labels::Directory;

// Of the characters that mean nothing to anybody; JSON leaves them as they are.
const BEGIN: char = '\u{f5e0}';
const NEXT: char = '\u{f5e1}';
const END: char = '\u{f5e2}';

/// What stands for a quota that the reader may not see.
const QUOTA: &str = "a quota of another workspace";

/// What is under a seal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sealed {
    Workload(WorkloadId),
    Quota(QuotaId),
}

fn seal(what: Sealed, name: &str, instead: &str) -> String {
    let (kind, number) = match what {
        Sealed::Workload(id) => ('w', id.0),
        Sealed::Quota(id) => ('q', id.0),
    };
    format!("{BEGIN}{kind}{number}{NEXT}{name}{NEXT}{instead}{END}")
}

/// The uid of a workload, under seal if its name is.
pub fn uid_like(name: &str, id: WorkloadId) -> String {
    match is_sealed(name) {
        true => seal(Sealed::Workload(id), &uid::workload(id), ""),
        false => uid::workload(id),
    }
}

/// The name of a workload that has left memory.
pub fn past_workload(id: WorkloadId, name: &str) -> String {
    seal(Sealed::Workload(id), name, "a workload of another workspace")
}

/// How much a reader may know of what is under a seal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    Name,
    /// What it is: it is private, and of a workspace of the reader's own.
    Kin,
    /// What it is.
    Stranger,
}

/// What stands for where something comes from, for strangers and for those of the same workspace.
const ELSEWHERE: &str = " of another workspace";
const NEXT_DOOR: &str = " of somebody else";

/// Whether there is anything to open.
pub fn is_sealed(text: &str) -> bool {
    text.contains(BEGIN)
}

/// Opens every seal: the name for who may know it, what stands for it for everybody else.
pub fn open(text: &str, mut knows: impl FnMut(Sealed) -> Known) -> String {
    let mut opened = String::with_capacity(text.len());
    let mut rest = text;
    // Quotas may be keys of an object: two that are hidden stay two.
    let mut hidden: Vec<QuotaId> = Vec::new();
    while let Some(at) = rest.find(BEGIN) {
        opened.push_str(&rest[..at]);
        let sealed = &rest[at + BEGIN.len_utf8()..];
        let Some((inside, after)) = sealed.split_once(END) else {
            rest = sealed;
            continue;
        };
        rest = after;
        let mut parts = inside.split(NEXT);
        let (what, name, instead) = (parts.next(), parts.next().unwrap_or(""), parts.next().unwrap_or(""));
        let what = what.and_then(parse);
        match (what, what.map(&mut knows)) {
            (_, Some(Known::Name)) => opened.push_str(name),
            (_, Some(Known::Kin)) => opened.push_str(&instead.replacen(ELSEWHERE, NEXT_DOOR, 1)),
            (Some(Sealed::Quota(id)), _) => {
                let known = hidden.iter().position(|other| *other == id);
                let place = known.unwrap_or_else(|| {
                    hidden.push(id);
                    hidden.len() - 1
                });
                opened.push_str(instead);
                if place > 0 {
                    opened.push_str(&format!(" ({})", place + 1));
                }
            }
            _ => opened.push_str(instead),
        }
    }
    opened.push_str(rest);
    opened
}

fn parse(what: &str) -> Option<Sealed> {
    let number = |text: &str| text.parse().ok();
    match what.split_at_checked(1)? {
        ("w", id) => number(id).map(|id| Sealed::Workload(WorkloadId(id))),
        ("q", id) => number(id).map(|id| Sealed::Quota(QuotaId(id))),
        _ => None,
    }
}

/// Opens the names that somebody knows; all others stay under seal.
pub fn open_some(text: &str, mut knows: impl FnMut(Sealed) -> bool) -> String {
    let mut opened = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, sealed)) = rest.split_once(BEGIN) {
        opened.push_str(before);
        let (inside, after) = match sealed.split_once(END) {
            Some(parts) => parts,
            None => (sealed, ""),
        };
        rest = after;
        let mut parts = inside.split(NEXT);
        match parts.next().and_then(parse).filter(|what| knows(*what)) {
            Some(_) => opened.push_str(parts.next().unwrap_or("")),
            None => opened.extend([BEGIN.to_string().as_str(), inside, END.to_string().as_str()]),
        }
    }
    opened.push_str(rest);
    opened
}

/// A text as it is read by who may know everything.
pub fn open_all(text: &str) -> String {
    open(text, |_| Known::Name)
}

/// All names of the world are under seal, once there is anybody to hide them from.
impl Names for World {
    fn quota_name(&self, id: QuotaId) -> Cow<'_, str> {
        if self.people.is_one_person() {
            return self.engine.quota_name(id);
        }
        seal(Sealed::Quota(id), &self.engine.quota_name(id), QUOTA).into()
    }

    fn workload_name(&self, id: WorkloadId) -> Cow<'_, str> {
        if self.people.is_one_person() {
            return self.engine.workload_name(id);
        }
        match self.engine.workload(id) {
            Some(w) => seal(Sealed::Workload(id), &w.spec.name, &described(w)).into(),
            None => past_workload(id, &self.engine.workload_name(id)).into(),
        }
    }

    fn model_names(&self, pool: PoolId) -> &[Box<str>] {
        self.engine.model_names(pool)
    }

    /// Caps are a workspace's own business: nobody else reads of them.
    fn holder_name(&self, holder: Holder) -> String {
        match holder {
            Holder::Member(member) => self.people.user(member).map_or("a member", |user| &user.name).into(),
            Holder::Role(role) => format!("each {}", self.people.role_name(role)),
        }
    }

    fn time(&self, at: Tick) -> String {
        self.engine.time(at)
    }
}

impl Directory for World {
    fn node(&self, pool: PoolId, id: NodeId) -> String {
        self.engine.node(pool, id)
    }

    fn queue_of(&self, workload: WorkloadId) -> Option<QuotaId> {
        self.engine.queue_of(workload)
    }

    fn restarts(&self, workload: WorkloadId) -> u32 {
        self.engine.restarts(workload)
    }

    fn pool_of(&self, quota: QuotaId) -> PoolId {
        self.engine.pool_of(quota)
    }

    fn stated(&self, root: QuotaId) -> Vec<Dimension> {
        self.engine.stated(root)
    }

    fn path(&self, quota: QuotaId) -> Vec<QuotaId> {
        self.engine.path(quota)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_sees_reads_names_and_who_does_not_reads_what_it_is() {
        let a = seal(Sealed::Workload(WorkloadId(12)), "a1", "a service of another workspace");
        let (q, r) =
            (seal(Sealed::Quota(QuotaId(3)), "Q", QUOTA), seal(Sealed::Quota(QuotaId(4)), "R", QUOTA));
        let text = format!("behind {a}, {{\"{q}\":1,\"{r}\":2}} and {q}");
        assert!(is_sealed(&text) && !is_sealed("behind a1"));
        assert_eq!(open_all(&text), "behind a1, {\"Q\":1,\"R\":2} and Q");
        assert_eq!(
            open(&text, |what| if what == Sealed::Quota(QuotaId(3)) { Known::Name } else { Known::Stranger }),
            "behind a service of another workspace, {\"Q\":1,\"a quota of another workspace\":2} and Q"
        );
        assert_eq!(
            open(&text, |_| Known::Stranger),
            "behind a service of another workspace, {\"a quota of another workspace\":1,\
             \"a quota of another workspace (2)\":2} and a quota of another workspace"
        );
    }

    #[test]
    fn what_is_not_known_stays_under_seal() {
        let (a, b) = (
            seal(Sealed::Workload(WorkloadId(1)), "a", "a service"),
            seal(Sealed::Workload(WorkloadId(2)), "b", "a notebook"),
        );
        let text = format!("{a}, then {b}.");
        let some = open_some(&text, |what| what == Sealed::Workload(WorkloadId(1)));
        assert_eq!(some, format!("a, then {b}."));
        assert_eq!(open(&some, |_| Known::Stranger), "a, then a notebook.");
    }

    #[test]
    fn what_is_private_in_ones_own_workspace_is_not_of_another() {
        let a = seal(
            Sealed::Workload(WorkloadId(1)),
            "a1",
            "a service of another workspace, priority 5, 32 GPUs",
        );
        assert_eq!(open(&a, |_| Known::Kin), "a service of somebody else, priority 5, 32 GPUs");
    }

    #[test]
    fn what_only_looks_like_a_seal_does_no_harm() {
        for text in [
            "\u{f5e0}",
            "\u{f5e0}x\u{f5e1}a\u{f5e2}",
            "\u{f5e0}w\u{f5e2}",
            "\u{f5e0}\u{f5e2}",
            "\u{f5e0}é\u{f5e2}b",
        ] {
            let opened = open(text, |_| panic!("nothing is there"));
            assert!(!is_sealed(&opened), "{opened:?}");
        }
    }
}
