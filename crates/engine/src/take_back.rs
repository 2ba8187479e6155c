//! A pass is committed as a whole: who would be started and evicted in the same pass is not started.
//!
//! Whoever needs the room of such a start has it taken back. Plans that were made beside the start may evict more
//! than they need once it is gone: then the pass returns to before the first of them, and goes on without it.

use crate::event::{Event, EventKind};
use crate::ids::{QuotaId, Tick, WorkloadId};
use crate::pass::Pass;
use crate::plan::Plan;
use crate::session::Session;
use crate::state::State;
use crate::words::Class;
use crate::workload::WorkloadState;
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// How often one pass returns. After that, whoever would evict a start of the pass waits for the next.
const MAX_RETURNS: u32 = 32;

/// A start of this pass that may still be taken back.
#[derive(Clone, Debug)]
pub(crate) struct Fresh {
    pub(crate) workload: WorkloadId,
    pub(crate) units: SmallVec<[u32; 2]>,
    pub(crate) state: WorkloadState,
    pub(crate) suspended: bool,
    pub(crate) passed_over: Option<Tick>,
    /// What ran of it before, with its times: growing starts that again.
    pub(crate) ran: Ran,
}

/// Units by number, since when they run, and since when their work is not saved.
pub(crate) type Ran = SmallVec<[(u32, Tick, Tick); 1]>;

/// How things stood before a plan was carried out.
#[derive(Debug)]
struct Point {
    state: State,
    events: usize,
    fresh: usize,
    offered: BTreeSet<QuotaId>,
}

/// The way back to before the first plan that stands beside a start of the pass.
#[derive(Debug, Default)]
pub(crate) struct WayBack {
    point: Option<Box<Point>>,
    /// Starts beside which plans were made: the first so many.
    beside: usize,
    returns: u32,
}

impl Pass {
    /// Whoever looked for its place has found one: lanes that waited for it are tried again.
    pub(crate) fn unbar(&mut self, by: WorkloadId) {
        self.barred.retain(|_, b| *b != by);
    }

    /// Nothing moves any more: whoever has found no place leaves starts alone. False if nobody was looking.
    pub(crate) fn unbar_all(&mut self) -> bool {
        if self.barred.is_empty() {
            return false;
        }
        self.vain.extend(std::mem::take(&mut self.barred).into_values());
        true
    }
}

impl Session<'_> {
    /// Starts of this pass, ascending, of workloads that a plan would evict or shrink.
    pub(crate) fn fresh_in(&self, pass: &Pass, plan: &Plan) -> Vec<usize> {
        let touched = |id: WorkloadId| plan.victims.iter().any(|v| self.s.units[v.unit].workload == id);
        pass.fresh.iter().enumerate().filter(|(_, f)| touched(f.workload)).map(|(at, _)| at).collect()
    }

    /// A plan is about to be carried out: remembers the way back, if somebody could want a start beside it gone.
    pub(crate) fn mark_way_back(&mut self, pass: &mut Pass) {
        pass.way_back.beside = pass.fresh.len();
        if pass.way_back.point.is_none() && self.s.could_be_wanted(&pass.fresh) {
            let (state, offered) = (self.s.point(), pass.offered.clone());
            let point = Point { state, events: self.events.len(), fresh: pass.fresh.len(), offered };
            pass.way_back.point = Some(Box::new(point));
        }
    }

    /// Takes back starts that `by` wants gone, or leaves them alone. True if the pass went back to before plans
    /// that stood beside them: then everybody is tried again, and they only after `by`.
    pub(crate) fn return_without(&mut self, pass: &mut Pass, back: &[usize], by: WorkloadId) -> Return {
        let way = &mut pass.way_back;
        if pass.vain.contains(&by) {
            return Return::InVain;
        }
        if back.first().is_none_or(|&first| first >= way.beside) {
            back.iter().rev().for_each(|&at| self.take_back(pass, at));
            return Return::TakenBack;
        }
        way.returns += 1;
        let Some(point) = way.point.take().filter(|_| way.returns <= MAX_RETURNS) else {
            pass.vain.insert(by);
            self.s.workloads.drop_changes();
            return Return::InVain;
        };
        way.beside = 0;
        let unwanted: Vec<WorkloadId> = back.iter().map(|&at| pass.fresh[at].workload).collect();
        let Point { state, events, fresh, offered } = *point;
        self.s.return_to(state);
        self.events.truncate(events);
        pass.fresh.truncate(fresh);
        pass.offered = offered;
        pass.tried.clear();
        back.iter().rev().filter(|&&at| at < fresh).for_each(|&at| self.take_back(pass, at));
        for id in unwanted {
            let w = self.s.w(id);
            if let Some(key) = w.lane {
                pass.barred.insert((w.spec.quota, key), by);
            }
        }
        Return::Returned
    }

    /// Undoes a start of this pass.
    fn take_back(&mut self, pass: &mut Pass, at: usize) {
        let fresh = pass.fresh.remove(at);
        let id = fresh.workload;
        let is_start = |e: &Event| {
            matches!(&e.kind, EventKind::Started { workload, grants, .. }
            if *workload == id && grants.iter().any(|g| fresh.units.contains(&g.unit)))
        };
        if let Some(start) = self.events.iter().rposition(is_start) {
            let moves = |e: &Event| {
                matches!(&e.kind, EventKind::Moved { workload, unit, .. }
                if *workload == id && fresh.units.contains(unit))
            };
            let later = self.events.split_off(start + 1);
            self.events.pop();
            self.events.extend(later.into_iter().filter(|e| !moves(e)));
        }
        self.s.unstart(&fresh);
    }
}

/// What became of starts that a plan wanted gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Return {
    /// They are undone.
    TakenBack,
    /// They and all plans made beside them are undone.
    Returned,
    /// They stay.
    InVain,
}

impl State {
    /// A copy to return to. Workloads and their names stay where they are: in a pass nobody comes or is forgotten, and
    /// of those who change it is kept how they were.
    fn point(&mut self) -> State {
        let workloads = (std::mem::take(&mut self.workloads), std::mem::take(&mut self.workload_names));
        let copy = self.clone();
        (self.workloads, self.workload_names) = workloads;
        self.workloads.keep_changes();
        copy
    }

    fn return_to(&mut self, point: State) {
        let workloads = (std::mem::take(&mut self.workloads), std::mem::take(&mut self.workload_names));
        *self = point;
        (self.workloads, self.workload_names) = workloads;
        self.workloads.undo_changes();
    }

    /// Whether a rule could name one of these starts for somebody who waits.
    fn could_be_wanted(&self, fresh: &[Fresh]) -> bool {
        let waits = |q: QuotaId| !self.queues[q.index()].is_idle();
        let is_low = |f: &Fresh| self.w(f.workload).units.iter().any(|&u| self.units[u].class < Class::Firm);
        let quotas: BTreeSet<QuotaId> = fresh.iter().map(|f| self.w(f.workload).spec.quota).collect();
        fresh.iter().any(is_low)
            || quotas.into_iter().any(|quota| {
                let own = self.tree[quota].policy.self_level.is_some() && waits(quota);
                let sibling = |q| self.tree.lends_to(q).is_some() && waits(q);
                let above = |q: QuotaId| self.tree[q].policy.child_level.is_some() && waits(q);
                own || self.tree.siblings(quota).any(sibling) || self.tree.ancestors(quota).any(above)
            })
    }
}
