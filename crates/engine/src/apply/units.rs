//! Events of units: both books follow what is granted, moved and given up.

use crate::event::{Cause, StartKind};
use crate::ids::{NodeId, PoolId, QuotaId, Tick, WorkloadId};
use crate::state::{State, Timer};
use crate::unit::{Draw, Draws, Grant, Unit, UnitState, class_of};
use crate::words::{Class, Module, Priority};
use crate::workload::{Cleared, Exit, WorkloadState};
use smallvec::SmallVec;

impl State {
    pub(super) fn new_unit(&mut self, at: Tick, w: WorkloadId, grant: &Grant, state: UnitState) -> u32 {
        let spec = &self.w(w).spec;
        let gpu = match grant.model {
            Some(_) => spec_gpu(spec, grant),
            None => 0,
        };
        let unit = Unit {
            workload: w,
            number: grant.unit,
            quota: spec.quota,
            priority: spec.priority,
            module: spec.module,
            class: grant.class(),
            state,
            is_replica: spec.by_replica(),
            goes_along: spec.by_replica() && spec.min() > 1,
            suspend: spec.suspend,
            stamp: 0,
            started: at,
            saved_at: at,
            gpu,
            grant: grant.clone(),
            pending: None,
            claimant: None,
        };
        let id = self.units.insert(unit);
        self.w_mut(w).units.push(id);
        self.count_for_caps(id, 1);
        id
    }

    pub(super) fn remove_unit(&mut self, w: WorkloadId, unit: u32) -> Unit {
        self.count_for_caps(unit, -1);
        self.w_mut(w).units.retain(|u| *u != unit);
        self.units.remove(unit)
    }

    pub(super) fn start(&mut self, at: Tick, w: WorkloadId, kind: StartKind, grants: &[Grant]) {
        for grant in grants {
            let unit = match self.unit_of(w, grant.unit) {
                Some(unit) => {
                    assert!(
                        self.units[unit].state == UnitState::Held && self.units[unit].pending.is_none(),
                        "a hold starts when it has all"
                    );
                    for d in &grant.draws {
                        self.ledger.adjust(&self.tree, d.account, d.dimension, |c| {
                            c.held -= d.amount;
                            c.drawn += d.amount;
                            c.lent += if d.class < Class::Firm { d.amount } else { 0 };
                        });
                    }
                    self.leave_held(unit);
                    self.agenda.just_started.insert(unit);
                    // Balance may have come free at home while it was held, and rules may have changed.
                    self.agenda.freed.insert(self.units[unit].quota);
                    self.agenda.rising.extend(grant.draws.iter().map(|d| d.account));
                    let u = &mut self.units[unit];
                    (u.state, u.started, u.saved_at) = (UnitState::Running, at, at);
                    unit
                }
                None => {
                    let unit = self.new_unit(at, w, grant, UnitState::Running);
                    self.enter(unit);
                    unit
                }
            };
            self.enlist(unit);
            self.count_use(unit, 1);
            self.wake_hunters(unit);
        }
        if kind == StartKind::Grown && self.w(w).spec.module == Module::Training {
            self.restart(at, w);
        }
        self.w_mut(w).state = WorkloadState::Running;
        self.w_mut(w).suspended = false;
        self.file(w);
        self.set_run_timers(at, w);
    }

    pub(super) fn set_run_timers(&mut self, at: Tick, w: WorkloadId) {
        let spec = &self.w(w).spec;
        let (max_run, protect) = (spec.max_run, self.tree[spec.quota].policy.protect_for);
        if let Some(span) = max_run {
            self.set_timer(at.after(span), Timer::MaxRun(w));
        }
        if protect.0 > 0 {
            self.set_timer(at.after(protect), Timer::Unprotect(w));
        }
    }

    /// Enters a unit's draws and slots into the books.
    pub(super) fn enter(&mut self, unit: u32) {
        let u = &self.units[unit];
        let pool = self.tree[u.quota].pool.index();
        self.ledger.draw(&self.tree, &u.grant.draws, 1);
        for d in &u.grant.draws {
            let balance = self.ledger.cell(d.account, d.dimension).balance();
            assert!(
                balance >= 0,
                "{} would be drawn beyond its share by {}",
                self.tree[d.account].name,
                -balance
            );
        }
        for slot in &self.units[unit].grant.slots {
            self.pools[pool].nodes.occupy(slot, unit);
        }
    }

    /// Counts a unit's GPUs as used by its quota and served to its workspace.
    pub(super) fn count_use(&mut self, unit: u32, sign: i64) {
        let u = &self.units[unit];
        let (quota, gpu, w) = (u.quota, u.gpu, u.workload);
        self.ledger.account_mut(quota).used += sign * gpu;
        self.file_idle(quota);
        if self.tree[quota].policy.queue.strategy == crate::words::Strategy::Fair {
            let workspace = self.workspace_of(w);
            self.queues[quota.index()].serve(workspace, sign * gpu);
        }
    }

    /// Units of a workload lost their protection: those who wait for such may look again.
    pub(crate) fn wake_for(&mut self, w: WorkloadId) {
        for i in 0..self.workload(w).map_or(0, |w| w.units.len()) {
            self.wake_hunters(self.w(w).units[i]);
        }
    }

    /// A unit that others may evict has started: those who wait for such may look again.
    pub(super) fn wake_hunters(&mut self, unit: u32) {
        let quota = self.units[unit].quota;
        if self.tree[quota].hunted {
            self.wake_hunters_of(quota);
        }
    }

    #[inline(never)]
    fn wake_hunters_of(&mut self, quota: QuotaId) {
        let parent = self.tree[quota].parent;
        if self.herds[quota.index()].own.is_some() {
            self.wake(quota);
        }
        if let Some(p) = parent
            && self.herds[p.index()].children.is_some()
        {
            for i in 0..self.tree[p].children.len() {
                let sibling = self.tree[p].children[i];
                if self.tree[sibling].policy.self_level.is_some() {
                    self.wake(sibling);
                }
            }
        }
        let mut above = parent;
        while let Some(a) = above {
            if self.herds[a.index()].below.is_some() {
                self.wake(a);
            }
            above = self.tree[a].parent;
        }
    }

    /// A training job that changed its size starts again: what was not saved is lost.
    fn restart(&mut self, at: Tick, w: WorkloadId) {
        for i in 0..self.w(w).units.len() {
            let unit = self.w(w).units[i];
            if self.units[unit].is_running() {
                self.strike(unit);
                (self.units[unit].started, self.units[unit].saved_at) = (at, at);
                self.enlist(unit);
            }
        }
    }

    pub(super) fn evict(
        &mut self,
        at: Tick,
        w: WorkloadId,
        numbers: &[u32],
        exit: Exit,
        deadline: Tick,
        cause: &Cause,
    ) {
        for &n in numbers {
            let unit = self.unit_of(w, n).expect("who is evicted runs");
            assert!(self.units[unit].is_running(), "who is evicted runs");
            self.strike(unit);
            self.units[unit].state = UnitState::Leaving { exit, deadline };
            self.units[unit].claimant = cause.by;
            self.leaving.insert(unit);
            let pool = self.tree[self.units[unit].quota].pool;
            let slots = self.units[unit].grant.slots.clone();
            self.count_coming(pool, &slots, 1);
            for i in 0..self.units[unit].grant.draws.len() {
                let d = self.units[unit].grant.draws[i];
                self.ledger.adjust(&self.tree, d.account, d.dimension, |c| c.coming += d.amount);
                // Whoever waits may be able to hold what the plan does not need.
                self.wake_users(d.account);
            }
            slots.iter().for_each(|slot| self.wake_by_leaving(pool, slot.node));
            self.set_timer(deadline, Timer::Deadline(w, n));
        }
        let workload = self.w_mut(w);
        if !cause.rule.is_owners() {
            workload.preemptions += 1;
        }
        workload.evicted = Some(Box::new((at, cause.clone())));
        if let Some(by) = cause.by {
            let cleared = Cleared { at, workload: w, rule: cause.rule };
            self.w_mut(by).cleared.get_or_insert_default().add(cleared);
        }
        let workload = self.w_mut(w);
        if exit != Exit::Shrink {
            workload.state = WorkloadState::Leaving(exit);
        } else if workload.spec.module == Module::Training {
            self.restart(at, w);
        }
        self.file(w);
    }

    /// Takes a unit out of both books, whatever its state.
    pub(super) fn leave(&mut self, w: WorkloadId, unit: u32) {
        match self.units[unit].state {
            UnitState::Held => self.drop_hold(unit),
            UnitState::Running => self.strike(unit),
            UnitState::Leaving { deadline, .. } => {
                let number = self.units[unit].number;
                self.leaving.remove(&unit);
                let pool = self.tree[self.units[unit].quota].pool;
                let slots = self.units[unit].grant.slots.clone();
                self.count_coming(pool, &slots, -1);
                self.timers.remove(&(deadline, Timer::Deadline(w, number)));
                for i in 0..self.units[unit].grant.draws.len() {
                    let d = self.units[unit].grant.draws[i];
                    self.ledger.adjust(&self.tree, d.account, d.dimension, |c| c.coming -= d.amount);
                }
            }
        }
        if self.units[unit].state != UnitState::Held {
            self.count_use(unit, -1);
            let u = &self.units[unit];
            let pool = self.tree[u.quota].pool.index();
            self.ledger.draw(&self.tree, &u.grant.draws, -1);
            for slot in &u.grant.slots {
                self.pools[pool].nodes.vacate(slot, unit);
            }
        }
        let u = self.remove_unit(w, unit);
        let accounts: SmallVec<[QuotaId; 4]> = u.grant.draws.iter().map(|d| d.account).collect();
        let nodes: SmallVec<[NodeId; 4]> = u.grant.slots.iter().map(|s| s.node).collect();
        if let Some(claimant) = u.claimant
            && self.workload(claimant).is_some()
        {
            // Whoever was to have these devices comes first, so that it need not wait for others' balance.
            let mut heirs = self.w(claimant).units.clone();
            heirs.sort_by_key(|&h| !self.units[h].grant.slots.iter().any(|s| nodes.contains(&s.node)));
            for heir in heirs {
                self.top_up(heir, true);
            }
        }
        self.came_free(w, &accounts, &nodes);
    }

    /// Balance and devices came free: holds are topped up, gains arrive, queues look again.
    pub(super) fn came_free(&mut self, w: WorkloadId, accounts: &[QuotaId], nodes: &[NodeId]) {
        let pool = self.tree[self.w(w).spec.quota].pool;
        self.arrive(pool, accounts, nodes);
        for &node in nodes {
            self.wake_at(pool, node);
        }
    }

    /// What these accounts have free may settle what they owe: gains arrive, and may settle more.
    pub(super) fn arrive(&mut self, pool: PoolId, accounts: &[QuotaId], nodes: &[NodeId]) {
        let mut settled: SmallVec<[QuotaId; 4]> = accounts.into();
        let mut i = 0;
        while i < settled.len() && !self.ledger.transits.is_empty() {
            let receivers = self.ledger.settle(&self.tree, settled[i]);
            settled.extend(receivers);
            i += 1;
        }
        self.top_up_others(&settled, pool, nodes);
        for &a in &settled {
            self.freed(a);
        }
    }

    pub(super) fn release(&mut self, w: WorkloadId, numbers: &[u32]) {
        for &n in numbers {
            let unit = self.unit_of(w, n).expect("who is released was leaving");
            self.leave(w, unit);
        }
        self.after_leaving(w);
    }

    /// Once nothing of a leaving workload is left, it goes where its exit says.
    fn after_leaving(&mut self, w: WorkloadId) {
        if self.w(w).units.is_empty() {
            let next = match self.w(w).state {
                WorkloadState::Leaving(Exit::Requeue) => WorkloadState::Queued,
                WorkloadState::Leaving(Exit::Suspend) => WorkloadState::Suspended,
                state => state,
            };
            self.w_mut(w).state = next;
            self.w_mut(w).suspended |= next == WorkloadState::Suspended;
            if next.is_waiting() {
                self.w_mut(w).cleared = None;
            }
        }
        self.file(w);
    }

    pub(super) fn move_draws(&mut self, w: WorkloadId, number: u32, draws: &Draws) {
        let unit = self.unit_of(w, number).expect("who is moved runs");
        let class = class_of(draws);
        let stays = class == self.units[unit].class;
        if !stays {
            self.strike(unit);
        }
        let old = std::mem::replace(&mut self.units[unit].grant.draws, draws.clone());
        // A unit may have many draws, and few of them move.
        let (less, more) = difference(&old, draws);
        self.ledger.draw(&self.tree, &less, -1);
        self.ledger.draw(&self.tree, &more, 1);
        for d in &more {
            assert!(
                self.ledger.cell(d.account, d.dimension).balance() >= 0
                    || old.iter().any(|o| o.account == d.account),
                "a move takes free balance"
            );
        }
        if stays {
            self.shift(unit, &old, less.iter().chain(&more).map(|d| d.account));
        } else {
            self.units[unit].class = class;
            self.enlist(unit);
        }
        let on = |list: &[Draw], of: &Draw| -> i64 {
            let same = list.iter().filter(|d| (d.account, d.dimension) == (of.account, of.dimension));
            same.map(|d| d.amount).sum()
        };
        let mut gained: Vec<QuotaId> =
            less.iter().filter(|d| on(&less, d) > on(&more, d)).map(|d| d.account).collect();
        gained.dedup();
        self.came_free(w, &gained, &[]);
    }

    pub(super) fn lose(&mut self, at: Tick, w: WorkloadId, numbers: &[u32]) {
        for &n in numbers {
            let unit = self.unit_of(w, n).expect("who is lost was there");
            self.leave(w, unit);
        }
        let workload = self.w(w);
        if workload.state == WorkloadState::Leaving(Exit::Suspend) {
            // What was to be kept went with the node.
            self.w_mut(w).state = WorkloadState::Leaving(Exit::Requeue);
        } else if workload.state == WorkloadState::Running {
            // What is left of it may be on its way out already.
            if !workload.units.iter().any(|&u| self.units[u].is_running()) {
                self.w_mut(w).state = WorkloadState::Queued;
            } else if workload.spec.module == Module::Training {
                self.restart(at, w);
            }
        }
        self.after_leaving(w);
    }

    /// Undoes a start of the same pass, as if it had never been.
    pub(crate) fn unstart(&mut self, fresh: &crate::take_back::Fresh) {
        let id = fresh.workload;
        for &n in &fresh.units {
            let unit = self.unit_of(id, n).expect("who was started in this pass is there");
            self.leave(id, unit);
        }
        for &(number, started, saved_at) in &fresh.ran {
            let unit = self.unit_of(id, number).expect("what ran before runs on");
            if (self.units[unit].started, self.units[unit].saved_at) != (started, saved_at) {
                self.strike(unit);
                (self.units[unit].started, self.units[unit].saved_at) = (started, saved_at);
                self.enlist(unit);
            }
        }
        self.w_mut(id).state = fresh.state;
        self.w_mut(id).suspended = fresh.suspended;
        self.file(id);
        if let Some(at) = fresh.passed_over {
            let quota = self.w(id).spec.quota;
            self.w_mut(id).passed_over = Some(at);
            self.queues[quota.index()].pass_over(at, id);
        }
    }

    pub(super) fn set_unit_priorities(&mut self, w: WorkloadId, priority: Priority) {
        for i in 0..self.w(w).units.len() {
            let unit = self.w(w).units[i];
            let (running, held) = (self.units[unit].is_running(), self.units[unit].state == UnitState::Held);
            if running {
                self.strike(unit);
            }
            if held {
                self.leave_held(unit);
            }
            self.count_for_caps(unit, -1);
            self.units[unit].priority = priority;
            self.count_for_caps(unit, 1);
            if held {
                self.enter_held(unit);
            }
            if running {
                self.enlist(unit);
                self.wake_hunters(unit);
                // Whoever spared it because it could have returned may look again.
                for i in 0..self.units[unit].grant.draws.len() {
                    self.wake_users(self.units[unit].grant.draws[i].account);
                }
            }
        }
    }

    pub(super) fn save(&mut self, w: WorkloadId, saved_at: Tick) {
        for i in 0..self.w(w).units.len() {
            let unit = self.w(w).units[i];
            if self.units[unit].is_running() {
                self.strike(unit);
                self.units[unit].saved_at = saved_at.max(self.units[unit].saved_at);
                self.enlist(unit);
            }
        }
    }
}

/// What goes from one list of draws to another: amounts that are drawn no more, and those that are new.
fn difference(old: &[Draw], new: &[Draw]) -> (Draws, Draws) {
    let (mut less, mut more) = (Draws::new(), Draws::new());
    let mut rest = new.iter();
    for o in old {
        let same = |n: &&Draw| {
            (n.account, n.dimension, n.rule, n.class) == (o.account, o.dimension, o.rule, o.class)
        };
        match rest.as_slice().first().filter(same) {
            Some(n) if n.amount < o.amount => less.push(Draw { amount: o.amount - n.amount, ..*o }),
            Some(n) if n.amount > o.amount => more.push(Draw { amount: n.amount - o.amount, ..*o }),
            Some(_) => {}
            None => {
                less.push(*o);
                continue;
            }
        }
        rest.next();
    }
    more.extend(rest.copied());
    (less, more)
}

/// GPUs of a unit: a replica's, or the whole gang's.
fn spec_gpu(spec: &crate::workload::WorkloadSpec, grant: &Grant) -> i64 {
    match spec.roles.as_slice() {
        [one] => i64::from(one.shape.gpu) * grant.slots.len() as i64,
        _ => spec.gpus(),
    }
}
