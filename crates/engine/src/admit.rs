//! Starting without disturbing anybody: both books have room as they are.

use crate::event::{EventKind, StartKind};
use crate::funding::{self, Payer, Rules};
use crate::ids::{ModelId, QuotaId, WorkloadId};
use crate::nodes::{Ask, Barred};
use crate::resources::{Dimension, ModelSet};
use crate::session::Session;
use crate::slot::Slot;
use crate::state::State;
use crate::unit::{Draw, Draws, Grant, UnitState};
use crate::words::Class;
use crate::workload::{Role, Roles, Workload, WorkloadState};
use smallvec::SmallVec;

/// What came of an attempt to start somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Started,
    /// The accounts have too little.
    NoBalance,
    /// The accounts would do, the nodes have no room.
    NoNodes,
    /// The round is not for it.
    NotForIt,
    /// The pass went back to an earlier point, to go on without some of its starts.
    Returned,
}

/// How many replicas somebody wants, and how many it needs to start at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Want {
    pub(crate) most: u32,
    pub(crate) least: u32,
}

/// The dimension and amount of one replica, in the dimensions that the tree keeps.
pub(crate) type Amounts = SmallVec<[(Dimension, i64); 3]>;

impl State {
    pub(crate) fn want(&self, w: &Workload) -> Want {
        let total = w.spec.replicas();
        if !w.spec.by_replica() {
            return Want { most: total, least: total };
        }
        let here = self.replicas_in(w, |s| matches!(s, UnitState::Running | UnitState::Held));
        let least = if w.state.is_waiting() { w.spec.min().saturating_sub(here).max(1) } else { 1 };
        Want { most: total.saturating_sub(here), least }
    }

    /// GPU models to try, in the pool's order; `None` for work without GPUs.
    pub(crate) fn models_for(&self, w: &Workload) -> SmallVec<[Option<ModelId>; 2]> {
        if w.spec.gpus() == 0 {
            return SmallVec::from_elem(None, 1);
        }
        // Further replicas of a training job run on the model of those that run already.
        if let Some(&u) = w.units.first()
            && !w.spec.is_service()
        {
            return SmallVec::from_elem(self.units[u].grant.model, 1);
        }
        let models = (0..self.pool_of(w.spec.quota).models.len() as u8).map(ModelId);
        let mut allowed = SmallVec::new();
        models.filter(|&m| w.spec.models.allows(m)).for_each(|m| allowed.push(Some(m)));
        allowed
    }

    /// What `roles` ask of the ledger, replicas and all.
    pub(crate) fn amounts(&self, quota: QuotaId, model: Option<ModelId>, roles: &[Role]) -> Amounts {
        let (mut gpu, mut cpu, mut memory) = (0, 0, 0);
        for Role { replicas, shape } in roles {
            let n = i64::from(*replicas);
            gpu += n * i64::from(shape.gpu);
            cpu += n * i64::from(shape.cpu);
            memory += n * i64::try_from(shape.memory).unwrap_or(i64::MAX);
        }
        let mut out = Amounts::new();
        if let Some(m) = model
            && gpu > 0
        {
            out.push((Dimension::gpu(m), gpu));
        }
        for (d, amount) in [(Dimension::CPU, cpu), (Dimension::MEMORY, memory)] {
            if amount > 0 && self.tree.keeps(quota, d) {
                out.push((d, amount));
            }
        }
        out
    }

    /// What is granted and evicted as one: a replica, or the whole gang.
    pub(crate) fn piece(w: &Workload) -> Roles {
        if w.spec.by_replica() {
            Roles::from_buf([Role { replicas: 1, shape: w.spec.roles[0].shape }])
        } else {
            Roles::from_slice(&w.spec.roles)
        }
    }

    /// Pieces, out of replicas wanted.
    pub(crate) fn pieces(w: &Workload, replicas: u32) -> u32 {
        if w.spec.by_replica() { replicas } else { 1 }
    }

    /// How many pieces the accounts can pay for, up to `most`.
    pub(crate) fn affordable(&self, payer: &Payer<'_>, amounts: &Amounts, most: u32) -> u32 {
        amounts.iter().fold(most, |n, &(d, each)| {
            if funding::at_most(&self.tree, &self.ledger, payer, d) < each {
                return 0;
            }
            let enough = each.saturating_mul(i64::from(n));
            let free = funding::available(&self.tree, &self.ledger, payer, d, None, enough);
            n.min(u32::try_from(free / each).unwrap_or(u32::MAX))
        })
    }

    /// Draws for `n` pieces, one list for each.
    pub(crate) fn fund(
        &self,
        payer: &Payer<'_>,
        amounts: &Amounts,
        n: u32,
        credits: Option<&funding::Credits>,
    ) -> Option<SmallVec<[Draws; 1]>> {
        let mut each: SmallVec<[Draws; 1]> = (0..n).map(|_| Draws::new()).collect();
        for &(d, amount) in amounts {
            let mut all = Draws::new();
            let to = if n == 1 { &mut each[0] } else { &mut all };
            funding::fund(&self.tree, &self.ledger, payer, d, amount * i64::from(n), credits, to)?;
            if n == 1 {
                continue;
            }
            let mut source = all.into_iter();
            let mut rest: Option<Draw> = None;
            for piece in &mut each {
                let mut left = amount;
                while left > 0 {
                    let mut draw =
                        rest.take().or_else(|| source.next()).expect("the draws add up to the demand");
                    if draw.amount > left {
                        rest = Some(Draw { amount: draw.amount - left, ..draw });
                        draw.amount = left;
                    }
                    left -= draw.amount;
                    piece.push(draw);
                }
            }
        }
        Some(each)
    }

    /// Places for up to `n` pieces on one model; as many as there is room for.
    pub(crate) fn place(
        &mut self,
        w: WorkloadId,
        model: Option<ModelId>,
        n: u32,
        barred: Barred<'_>,
    ) -> SmallVec<[Slot; 1]> {
        let work = self.workloads[w.index()].as_deref().expect("a workload in use is not forgotten");
        let pool = self.tree[work.spec.quota].pool.index();
        let models = model.map_or(ModelSet::ANY, |m| ModelSet::ANY.with(m));
        let allowed = work.spec.nodes.as_deref();
        let [role] = work.spec.roles.as_slice() else { return self.place_roles(w, models, barred).into() };
        let count = if work.spec.by_replica() { n } else { role.replicas };
        let ask = Ask { models, shape: role.shape, count, allowed, barred };
        let nodes = &self.pools[pool].nodes;
        if count == 1 {
            return nodes.place_one(&ask).into_iter().collect();
        }
        let mut slots = Vec::new();
        nodes.place(&ask, &mut slots);
        slots.into()
    }

    /// Whether both books have room for a workload under these rules, as they are.
    pub(crate) fn would_start(&mut self, id: WorkloadId, rules: Rules) -> bool {
        let w = self.w(id);
        let (quota, piece) = (w.spec.quota, State::piece(w));
        let least = State::pieces(w, self.want(w).least);
        let replicas = if w.spec.by_replica() { least } else { w.spec.replicas() };
        self.models_for(w).into_iter().any(|model| {
            let payer = Payer { quota, rules, barred: &[] };
            let amounts = self.amounts(quota, model, &piece);
            self.affordable(&payer, &amounts, least) >= least
                && self.place(id, model, least, Barred::Ignore).len() >= replicas as usize
        })
    }

    /// First-fit decreasing over the roles: each is placed on what the larger ones have left.
    fn place_roles(&mut self, w: WorkloadId, models: ModelSet, barred: Barred<'_>) -> Vec<Slot> {
        let work = self.workloads[w.index()].as_deref().expect("a workload in use is not forgotten");
        let nodes = &mut self.pools[self.tree[work.spec.quota].pool.index()].nodes;
        let roles = &work.spec.roles;
        let mut order: SmallVec<[usize; 8]> = (0..roles.len()).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(roles[i].shape));
        let mut placed: Vec<Vec<Slot>> = vec![Vec::new(); roles.len()];
        let mut complete = true;
        for i in order {
            let role = roles[i];
            let ask = Ask {
                models,
                shape: role.shape,
                count: role.replicas,
                allowed: work.spec.nodes.as_deref(),
                barred,
            };
            complete &= nodes.place(&ask, &mut placed[i]) == role.replicas;
            for slot in &placed[i] {
                nodes.occupy(slot, u32::MAX);
            }
            if !complete {
                break;
            }
        }
        for slot in placed.iter().flatten() {
            nodes.vacate(slot, u32::MAX);
        }
        if complete { placed.concat() } else { Vec::new() }
    }

    /// Numbers for `n` further units of a workload.
    pub(crate) fn free_numbers(&self, w: &Workload, n: usize) -> SmallVec<[u32; 8]> {
        let used: SmallVec<[u32; 8]> = w.units.iter().map(|&u| self.units[u].number).collect();
        (0u32..).filter(|i| !used.contains(i)).take(n).collect()
    }

    /// Puts draws and slots together, piece by piece.
    pub(crate) fn grants(
        &self,
        w: &Workload,
        model: Option<ModelId>,
        draws: SmallVec<[Draws; 1]>,
        slots: SmallVec<[Slot; 1]>,
    ) -> SmallVec<[Grant; 1]> {
        if draws.len() == 1 && w.units.is_empty() {
            let grant = |draws| Grant { unit: 0, model, draws, slots };
            return draws.into_iter().next().map(grant).into_iter().collect();
        }
        let mut slots = slots.into_iter();
        let numbers = self.free_numbers(w, draws.len());
        let per_piece = if w.spec.by_replica() { 1 } else { w.spec.replicas() as usize };
        let units = draws.into_iter().zip(numbers);
        units
            .map(|(draws, unit)| Grant {
                unit,
                model,
                draws,
                slots: slots.by_ref().take(per_piece).collect(),
            })
            .collect()
    }
}

impl Session<'_> {
    /// Starts as much of a workload as both books have room for under these rules.
    pub(crate) fn try_start(&mut self, id: WorkloadId, rules: Rules) -> Outcome {
        let w = self.s.w(id);
        let (want, quota) = (self.s.want(w), w.spec.quota);
        let piece = State::piece(w);
        let (most, least) = (State::pieces(w, want.most), State::pieces(w, want.least));
        let most = self.s.within_caps(w, most);
        let bars = self.s.bars(id, rules);
        let payer = Payer { quota, rules, barred: &bars.draws };
        let mut outcome = Outcome::NoBalance;
        for model in self.s.models_for(self.s.w(id)) {
            let amounts = self.s.amounts(quota, model, &piece);
            let n = self.s.affordable(&payer, &amounts, most);
            if n < least {
                continue;
            }
            let slots = self.s.place(id, model, n, bars.on_nodes());
            let w = self.s.w(id);
            let n = if w.spec.by_replica() {
                slots.len() as u32
            } else {
                u32::from(slots.len() as u32 == w.spec.replicas())
            };
            if n < least {
                outcome = Outcome::NoNodes;
                continue;
            }
            let draws =
                self.s.fund(&payer, &amounts, n, None).expect("what was counted as affordable can be paid");
            let grants = self.s.grants(w, model, draws, slots);
            // Only idle units may sit where a reservation keeps devices.
            if rules.idle && !bars.draws.is_empty() && grants.iter().any(|g| g.class() > Class::Idle) {
                outcome = Outcome::NoNodes;
                continue;
            }
            self.start(id, grants);
            return Outcome::Started;
        }
        outcome
    }

    /// Emits a start with the word that it deserves.
    pub(crate) fn start(&mut self, id: WorkloadId, grants: SmallVec<[Grant; 1]>) {
        let w = self.s.w(id);
        let kind = match w.state {
            WorkloadState::Running => StartKind::Grown,
            _ if w.suspended => StartKind::Resumed,
            _ => StartKind::Started,
        };
        let new: u32 = grants.iter().map(|g| g.slots.len() as u32).sum();
        let replicas = self.s.running_replicas(w) + new;
        self.end_reservation_of(id);
        self.emit(EventKind::Started { workload: id, kind, replicas, grants });
    }
}
