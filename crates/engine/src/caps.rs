//! Caps of the scheduling center: how much each member may use at a time, by priority, within a workspace's
//! part of a quota. Who breaks one stays queued with that reason, and blocks nobody.

use crate::ids::{MemberId, QuotaId, RoleId, WorkloadId, WorkspaceId};
use crate::pass::Round;
use crate::session::Session;
use crate::state::State;
use crate::unit::Unit;
use crate::words::PrioritySet;
use crate::workload::{Role, Workload, WorkloadState};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Caps of one workspace in one quota. Each is asked at every admission.
pub const MAX_CAPS: usize = 256;

/// Whose a workload is. The engine knows members and roles by number alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Owner {
    pub member: MemberId,
    pub roles: RoleSet,
}

/// Roles that a member has, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RoleSet(u64);

impl RoleSet {
    pub const NONE: RoleSet = RoleSet(0);

    #[must_use]
    pub fn with(self, role: RoleId) -> RoleSet {
        RoleSet(self.0 | 1u64.checked_shl(u32::from(role.0)).unwrap_or(0))
    }

    pub fn contains(self, role: RoleId) -> bool {
        1u64.checked_shl(u32::from(role.0)).is_some_and(|bit| self.0 & bit != 0)
    }
}

/// Whom a cap is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Holder {
    Member(MemberId),
    /// Each member with this role, by itself.
    Role(RoleId),
}

/// The most that each of its holders may use at a time with workloads of these priorities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cap {
    pub holder: Holder,
    pub priorities: PrioritySet,
    pub limit: Limit,
}

/// `None` is without limit; zero allows nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limit {
    /// Thousandths, of all models together.
    pub gpu: Option<i64>,
    /// Thousandths of a core.
    pub cpu: Option<i64>,
    /// Bytes.
    pub memory: Option<i64>,
}

/// What a cap counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Counted {
    Gpu,
    Cpu,
    Memory,
}

const COUNTED: [Counted; 3] = [Counted::Gpu, Counted::Cpu, Counted::Memory];

impl Limit {
    pub(crate) fn of(&self, what: Counted) -> Option<i64> {
        match what {
            Counted::Gpu => self.gpu,
            Counted::Cpu => self.cpu,
            Counted::Memory => self.memory,
        }
    }
}

/// In the order of `COUNTED`.
type Sums = [i64; 3];

/// What one member uses, by priority.
type Use = [Sums; 9];

/// A cap that would be broken: `used` and `need` together are more than `limit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Broken {
    pub holder: Holder,
    pub priorities: PrioritySet,
    pub what: Counted,
    pub used: i64,
    pub limit: i64,
    pub need: i64,
}

impl Broken {
    pub fn short(&self) -> i64 {
        self.used + self.need - self.limit
    }
}

/// All caps, and what they count. Use is kept while there are caps, and only then.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Caps {
    caps: BTreeMap<(WorkspaceId, QuotaId), Box<[Cap]>>,
    used: BTreeMap<(WorkspaceId, QuotaId, MemberId), Use>,
}

impl Caps {
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.caps.is_empty()
    }

    pub(crate) fn of(&self, workspace: WorkspaceId, quota: QuotaId) -> &[Cap] {
        self.caps.get(&(workspace, quota)).map_or(&[], |caps| caps)
    }

    /// A quota is gone.
    pub(crate) fn forget(&mut self, quota: QuotaId) {
        self.caps.retain(|key, _| key.1 != quota);
        if self.caps.is_empty() {
            self.used.clear();
        }
    }

    fn count(&mut self, key: (WorkspaceId, QuotaId, MemberId), u: &Unit, sign: i64) {
        let slots = &u.grant.slots;
        let cpu = slots.iter().map(|s| i64::from(s.cpu)).sum::<i64>();
        let memory = slots.iter().map(|s| i64::try_from(s.memory).unwrap_or(i64::MAX)).sum::<i64>();
        let used = self.used.entry(key).or_default();
        let cell = &mut used[usize::from(u.priority.get()) - 1];
        for (sum, amount) in cell.iter_mut().zip([u.gpu, cpu, memory]) {
            *sum += sign * amount;
        }
        if *used == Use::default() {
            self.used.remove(&key);
        }
    }
}

/// What one piece of a workload adds to what its owner uses.
fn demand(piece: &[Role]) -> Sums {
    piece.iter().fold([0; 3], |sum, role| {
        let n = i64::from(role.replicas);
        let memory = i64::try_from(role.shape.memory).unwrap_or(i64::MAX);
        [
            sum[0] + n * i64::from(role.shape.gpu),
            sum[1] + n * i64::from(role.shape.cpu),
            sum[2].saturating_add(n.saturating_mul(memory)),
        ]
    })
}

impl State {
    /// Caps of a workload's owner that count its priority, each with what is used and what one piece adds.
    fn caps_on<'a>(&'a self, w: &'a Workload) -> impl Iterator<Item = (Cap, Counted, i64, i64, i64)> + 'a {
        let spec = &w.spec;
        let each = demand(&State::piece(w));
        let used = spec.owner.and_then(|o| self.caps.used.get(&(spec.workspace, spec.quota, o.member)));
        let holds = move |cap: &&Cap| {
            spec.owner.is_some_and(|owner| match cap.holder {
                Holder::Member(member) => member == owner.member,
                Holder::Role(role) => owner.roles.contains(role),
            })
        };
        let caps = self.caps.of(spec.workspace, spec.quota).iter().filter(holds);
        caps.filter(|cap| cap.priorities.contains(spec.priority)).flat_map(move |cap| {
            COUNTED.into_iter().zip(each).enumerate().filter_map(move |(i, (what, each))| {
                let in_range = |used: &Use| -> i64 {
                    cap.priorities.iter().map(|p| used[usize::from(p.get()) - 1][i]).sum()
                };
                Some((*cap, what, used.map_or(0, in_range), cap.limit.of(what)?, each))
            })
        })
    }

    /// How many of `most` pieces the caps of its owner allow: the strictest wins.
    #[inline]
    pub(crate) fn within_caps(&self, w: &Workload, most: u32) -> u32 {
        if self.caps.is_empty() { most } else { self.allowed_by_caps(w, most) }
    }

    fn allowed_by_caps(&self, w: &Workload, most: u32) -> u32 {
        self.caps_on(w).filter(|cap| cap.4 > 0).fold(most, |n, (_, _, used, limit, each)| {
            n.min(u32::try_from((limit - used).max(0) / each).unwrap_or(u32::MAX))
        })
    }

    /// Whether caps keep a workload from starting, or growing, at all.
    #[inline]
    pub(crate) fn is_capped(&self, w: &Workload) -> bool {
        !self.caps.is_empty() && {
            let least = State::pieces(w, self.want(w).least);
            self.allowed_by_caps(w, least) < least
        }
    }

    /// Whether a cap is too small for a workload even if its owner used nothing.
    fn is_beyond_caps(&self, w: &Workload) -> bool {
        let least = i64::from(State::pieces(w, self.want(w).least));
        self.caps_on(w).any(|(_, _, _, limit, each)| each.saturating_mul(least) > limit)
    }

    /// Of each thing that is counted, the cap that `pieces` more would break by most.
    pub(crate) fn broken_caps(&self, w: &Workload, pieces: u32) -> Vec<Broken> {
        let mut broken: Vec<Broken> = Vec::new();
        for (cap, what, used, limit, each) in self.caps_on(w) {
            let need = each.saturating_mul(i64::from(pieces));
            let new = Broken { holder: cap.holder, priorities: cap.priorities, what, used, limit, need };
            if need == 0 || new.short() <= 0 {
                continue;
            }
            match broken.iter_mut().find(|b| b.what == what) {
                Some(b) if b.short() < new.short() => *b = new,
                Some(_) => {}
                None => broken.push(new),
            }
        }
        broken.sort_by_key(|b| b.what);
        broken
    }

    /// A unit came or goes: its owner uses more or less.
    #[inline]
    pub(crate) fn count_for_caps(&mut self, unit: u32, sign: i64) {
        if !self.caps.is_empty() {
            self.count_unit(unit, sign);
        }
    }

    fn count_unit(&mut self, unit: u32, sign: i64) {
        let u = &self.units[unit];
        let spec = &self.w(u.workload).spec;
        let Some(owner) = spec.owner else { return };
        let (key, quota) = ((spec.workspace, spec.quota, owner.member), spec.quota);
        self.caps.count(key, u, sign);
        if sign < 0 {
            self.wake(quota);
        }
    }

    pub(crate) fn set_caps(&mut self, workspace: WorkspaceId, quota: QuotaId, caps: &[Cap]) {
        let was_empty = self.caps.is_empty();
        if caps.is_empty() {
            self.caps.caps.remove(&(workspace, quota));
        } else {
            self.caps.caps.insert((workspace, quota), caps.into());
        }
        if self.caps.is_empty() {
            self.caps.used.clear();
        } else if was_empty {
            let units: Vec<u32> = self.units.iter().map(|(u, _)| u).collect();
            units.into_iter().for_each(|u| self.count_unit(u, 1));
        }
        // Where there are caps, workloads of different owners are not alike, and wait in lanes of their own.
        let of_it = |w: &&Workload| (w.spec.workspace, w.spec.quota) == (workspace, quota);
        let live = self.workloads.iter().filter_map(|w| w.as_deref()).filter(of_it);
        let ids: Vec<WorkloadId> = live.filter(|w| !w.state.is_ended()).map(|w| w.id).collect();
        for id in ids {
            let spec = self.w(id).spec.clone();
            self.w_mut(id).shape = self.demand_id(&spec);
            self.file(id);
        }
        self.wake(quota);
    }
}

impl Session<'_> {
    /// Somebody breaks a cap: if nothing else holds it back, or the cap lets it never start, those behind it are
    /// tried as if it were not there.
    pub(crate) fn step_over(&mut self, id: WorkloadId, round: Round) {
        if round != Round::Firm {
            return;
        }
        let never = self.s.is_beyond_caps(self.s.w(id));
        if !never && !self.s.would_start_uncapped(id) {
            return;
        }
        self.end_reservation_of(id);
        let w = self.s.w(id);
        if let Some(key) = w.lane {
            let quota = w.spec.quota;
            self.s.queues[quota.index()].mark_capped(key);
        }
    }
}

impl State {
    /// Whether it would start if there were no caps: on what is free, or by eviction.
    fn would_start_uncapped(&mut self, id: WorkloadId) -> bool {
        let w = self.w(id);
        let spec = &w.spec;
        let rules = crate::funding::allowed(&self.tree, spec.quota, spec.module, spec.priority, spec.idle);
        let evicts = rules.own && (w.state != WorkloadState::Running || spec.is_service());
        let least = State::pieces(w, self.want(w).least);
        self.would_start(id, rules) || (evicts && self.plan(id, rules, least).is_some())
    }
}
