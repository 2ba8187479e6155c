//! Quotas: guarantees and policies to set, and the books.

use super::{name, pool_at, quota_at};
use crate::amounts::{Amounts, Guarantee};
use crate::duration::Duration;
use crate::name::Name;
use crate::priorities::Priorities;
use crate::problem::{Code, Problem};
use crate::quota::{
    ChildLevel, Drawn, Preemption, QueueSpec, QuotaOutline, QuotaSpec, QuotaState, QuotaStatus, ScaleRequest,
    SelfLevel, TransferRequest, Victims,
};
use crate::words::Module;
use tidegate_engine::books::QuotaBooks;
use tidegate_engine::ids::{PoolId, QuotaId, WorkloadId};
use tidegate_engine::policy::{self, Policy, QueuePolicy, Source};
use tidegate_engine::reason::Names;
use tidegate_engine::resources::Resources;
use tidegate_engine::words::{Class, Mode, ModuleSet, PrioritySet, Scope};
use tidegate_engine::workload::WorkloadState;
use tidegate_engine::{Command, Engine, PolicyChange};

impl Victims {
    fn sets(&self) -> (PrioritySet, ModuleSet) {
        (self.priorities.set(), self.modules.iter().fold(ModuleSet::default(), |set, m| set.with(m.0)))
    }

    fn of(priorities: PrioritySet, modules: ModuleSet) -> Option<Victims> {
        let priorities = Priorities::new(priorities)?;
        Some(Victims { priorities, modules: modules.iter().map(Module).collect() })
    }
}

impl QuotaSpec {
    /// Where it is carved out of, and its pool.
    fn source(&self, engine: &Engine) -> Result<(Source, PoolId), Problem> {
        match (&self.pool, &self.parent) {
            (Some(pool), None) => {
                let pool = pool_at(engine, pool, "/spec/pool")?;
                Ok((Source::Pool(pool), pool))
            }
            (None, Some(parent)) => {
                let parent = quota_at(engine, parent, "/spec/parent")?;
                let pool = engine.quota(parent).map_or(PoolId(0), |q| q.pool);
                Ok((Source::Parent(parent), pool))
            }
            _ => {
                let detail = "a root quota names its pool, a child its parent: one of them";
                Err(Problem::new(Code::Invalid, detail).at("/spec"))
            }
        }
    }

    /// The policy that it asks for; what is absent has its default.
    pub fn policy(&self) -> Result<Policy, Problem> {
        let defaults = Policy::default();
        let queue = self.queue.clone().unwrap_or_default();
        let span = |given: Option<Duration>, default| given.map_or(default, Duration::span);
        let preemption = self.preemption.clone().unwrap_or_default();
        let child_level = preemption.child_level.map(|child| {
            let (victims, modules) = child.victims.sets();
            policy::ChildLevel::new(victims, modules)
                .map_err(|refusal| Problem::from(refusal).at("/spec/preemption/childLevel"))
        });
        let self_level = preemption.self_level.map(|own| {
            let (low, modules) = own.victims.sets();
            let scope = own.scope.map_or(Scope::Both, Into::into);
            policy::SelfLevel::new(own.preemptors.set(), low, modules, scope)
                .map_err(|refusal| Problem::from(refusal).at("/spec/preemption/selfLevel"))
        });
        Ok(Policy {
            queue: QueuePolicy {
                strategy: queue.strategy.map_or(defaults.queue.strategy, Into::into),
                patience: span(queue.patience, defaults.queue.patience),
                aging_step: span(queue.aging_step, defaults.queue.aging_step),
                starvation_guard: span(queue.starvation_guard, defaults.queue.starvation_guard),
            },
            idle_sharing: self.idle_sharing.unwrap_or(defaults.idle_sharing),
            protect_for: span(self.protect_for, defaults.protect_for),
            child_level: child_level.transpose()?,
            self_level: self_level.transpose()?,
            ceiling: None,
        })
    }

    /// The change that makes a quota's policy the one asked for, whatever it was.
    pub fn change(&self) -> Result<PolicyChange, Problem> {
        let policy = self.policy()?;
        Ok(PolicyChange {
            strategy: Some(policy.queue.strategy),
            patience: Some(policy.queue.patience),
            aging_step: Some(policy.queue.aging_step),
            starvation_guard: Some(policy.queue.starvation_guard),
            idle_sharing: Some(policy.idle_sharing),
            protect_for: Some(policy.protect_for),
            child_level: Some(policy.child_level),
            self_level: Some(policy.self_level),
        })
    }

    /// The quota to create.
    pub fn to_engine(&self, engine: &Engine, name: &Name) -> Result<policy::QuotaSpec, Problem> {
        let (source, pool) = self.source(engine)?;
        Ok(policy::QuotaSpec {
            name: name.as_str().into(),
            source,
            guarantee: self.guarantee.resources(engine, pool, "/spec/guarantee")?,
            policy: self.policy()?,
        })
    }

    /// The guarantee that it asks of an existing quota. Pool and parent stay what they are: naming another is refused.
    pub fn guarantee_for(&self, engine: &Engine, id: QuotaId) -> Result<Resources, Problem> {
        let Some(quota) = engine.quota(id) else {
            return Err(Problem::new(Code::NotFound, "there is no such quota"));
        };
        let (source, pool) = self.source(engine)?;
        let present = quota.parent.map_or(Source::Pool(quota.pool), Source::Parent);
        if source != present {
            let at = if self.pool.is_some() { "/spec/pool" } else { "/spec/parent" };
            let detail = format!("{} cannot be moved to another pool or parent", quota.name);
            return Err(Problem::new(Code::ImmutableField, detail).at(at));
        }
        self.guarantee.resources(engine, pool, "/spec/guarantee")
    }

    /// The quota as it is now, defaults spelled out. Whoever sees a quota sees the names of those above it.
    pub fn of(engine: &Engine, id: QuotaId) -> Option<QuotaSpec> {
        let quota = engine.quota(id)?;
        let parent = quota.parent.map(|parent| name(&engine.quota_name(parent)));
        let pool = engine.pool(quota.pool).filter(|_| parent.is_none()).map(|pool| name(&pool.name));
        Some(QuotaSpec {
            pool,
            parent,
            guarantee: Guarantee::of(engine, quota.pool, &quota.guarantee),
            ..QuotaSpec::with_policy(&quota.policy)
        })
    }

    /// The policy part of a specification, with a guarantee of nothing.
    pub fn with_policy(policy: &Policy) -> QuotaSpec {
        let self_level = policy.self_level.and_then(|p| {
            Some(SelfLevel {
                preemptors: Priorities::new(p.high())?,
                victims: Victims::of(p.low(), p.modules())?,
                scope: Some(p.scope().into()),
            })
        });
        let child =
            |p: policy::ChildLevel| Some(ChildLevel { victims: Victims::of(p.victims(), p.modules())? });
        let child_level = policy.child_level.and_then(child);
        let is_off = self_level.is_none() && child_level.is_none();
        QuotaSpec {
            pool: None,
            parent: None,
            guarantee: Guarantee::gpus(Default::default()),
            queue: Some(QueueSpec {
                strategy: Some(policy.queue.strategy.into()),
                patience: Some(Duration::of(policy.queue.patience)),
                aging_step: Some(Duration::of(policy.queue.aging_step)),
                starvation_guard: Some(Duration::of(policy.queue.starvation_guard)),
            }),
            idle_sharing: Some(policy.idle_sharing),
            protect_for: Some(Duration::of(policy.protect_for)),
            preemption: (!is_off).then_some(Preemption { self_level, child_level }),
            shared: None,
            dedicated: None,
        }
    }
}

impl ScaleRequest {
    /// What the request does not state stays as it is.
    pub fn command(&self, engine: &Engine, quota: QuotaId) -> Result<Command, Problem> {
        let Some(present) = engine.quota(quota) else {
            return Err(Problem::new(Code::NotFound, "there is no such quota"));
        };
        let guarantee = self.guarantee.onto(engine, present.pool, present.guarantee, "/guarantee")?;
        Ok(Command::Scale { quota, guarantee, mode: self.mode.map_or(Mode::Refuse, Into::into) })
    }
}

impl TransferRequest {
    pub fn command(&self, engine: &Engine, from: QuotaId) -> Result<Command, Problem> {
        let Some(giver) = engine.quota(from) else {
            return Err(Problem::new(Code::NotFound, "there is no such quota"));
        };
        let to = quota_at(engine, &self.to, "/to")?;
        let amount = self.amount.resources(engine, giver.pool, "/amount")?;
        Ok(Command::Transfer { from, to, amount, mode: self.mode.map_or(Mode::Refuse, Into::into) })
    }
}

/// What the books of one quota do not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuotaUse {
    /// Drawn on its account by units of other quotas, by loan or idle.
    pub lent: Resources,
    /// Drawn by its units on other accounts, by loan or idle.
    pub borrowed: Resources,
    /// Its workloads that run.
    pub running: u32,
}

/// The use of every quota, by id. Looks at every unit of those that have started and not ended.
pub fn uses(engine: &Engine, started: impl Iterator<Item = WorkloadId>) -> Vec<QuotaUse> {
    let mut all: Vec<QuotaUse> = Vec::new();
    let mut row = |id: QuotaId, change: &dyn Fn(&mut QuotaUse)| {
        if all.len() <= id.index() {
            all.resize(id.index() + 1, QuotaUse::default());
        }
        change(&mut all[id.index()]);
    };
    for workload in started.filter_map(|id| engine.workload(id)) {
        let quota = workload.spec.quota;
        if workload.state == WorkloadState::Running {
            row(quota, &|q| q.running += 1);
        }
        let units = engine.units(workload.id).filter(|u| u.state != tidegate_engine::unit::UnitState::Held);
        for draw in units.flat_map(|u| u.grant.draws.iter()) {
            if draw.class != Class::Firm && draw.account != quota {
                row(draw.account, &|q| q.lent[draw.dimension] += draw.amount);
                row(quota, &|q| q.borrowed[draw.dimension] += draw.amount);
            }
        }
    }
    all
}

/// What a quota is carved out of, from the root down.
fn ancestors(engine: &Engine, id: QuotaId) -> Vec<QuotaOutline> {
    let parent = |id: &QuotaId| engine.quota(*id).and_then(|quota| quota.parent);
    let above = std::iter::successors(parent(&id), parent).filter_map(|id| {
        let quota = engine.quota(id)?;
        let kept = engine.quota(quota.root)?.guarantee;
        let guarantee = Amounts::of(engine, quota.pool, &quota.guarantee, &kept);
        Some(QuotaOutline { name: name(&quota.name), guarantee })
    });
    let mut above: Vec<QuotaOutline> = above.collect();
    above.reverse();
    above
}

impl QuotaStatus {
    /// The books of one quota as `Engine::books` has them, and its row of `uses`. `names` knows what the reader may see.
    pub fn of(
        engine: &Engine,
        names: &dyn Names,
        books: &QuotaBooks,
        used: &QuotaUse,
    ) -> Option<QuotaStatus> {
        let quota = engine.quota(books.quota)?;
        let kept = engine.quota(quota.root).map_or(books.guarantee, |root| root.guarantee);
        let amounts = |r: &Resources| Amounts::of(engine, books.pool, r, &kept);
        let [own, child_level, self_level, idle] = &books.drawn;
        let total = books.drawn.iter().fold(Resources::default(), |sum, r| sum.plus(r));
        Some(QuotaStatus {
            state: if books.overdrawn { QuotaState::Scaling } else { QuotaState::Ready },
            pool: engine.pool(books.pool).map(|pool| name(&pool.name))?,
            depth: books.depth,
            share: amounts(&books.share),
            drawn: Drawn {
                total: amounts(&total),
                own: amounts(own),
                child_level: amounts(child_level),
                self_level: amounts(self_level),
                idle: amounts(idle),
            },
            held: amounts(&books.held),
            balance: amounts(&books.balance),
            in_transit: amounts(&books.in_transit),
            lent: amounts(&used.lent),
            borrowed: amounts(&used.borrowed),
            reserved: amounts(&books.reserved),
            queued: books.queued,
            running: used.running,
            children: quota.children.iter().map(|&child| names.quota_name(child).into_owned()).collect(),
            ancestors: ancestors(engine, books.quota),
            workspaces: Vec::new(),
        })
    }
}
