//! Submission: what can never run is refused, the rest is queued and tried at once.

use super::{check_name, refuse};
use crate::event::EventKind;
use crate::funding::{self, Rules};
use crate::ids::{ModelId, QuotaId, WorkloadId};
use crate::nodes::Nodes;
use crate::reason::Never;
use crate::refusal::Refusal;
use crate::resources::{Dimension, MAX_AMOUNT, MAX_DEVICES, ModelSet, Resources, WHOLE};
use crate::session::Session;
use crate::state::State;
use crate::words::{IdleUse, Module};
use crate::workload::{MAX_REPLICAS, MAX_ROLES, Role, Roles, WorkloadSpec};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// Workloads in all, ended ones included: ids are 32 bits.
const MAX_WORKLOADS: usize = u32::MAX as usize;

impl Session<'_> {
    pub(super) fn submit(&mut self, spec: Box<WorkloadSpec>) -> Result<(), Refusal> {
        self.s.glance(&spec);
        self.s.check_spec(&spec)?;
        if let Some(grant) = self.s.grant_at_once(&spec) {
            self.start_at_once(*spec, grant);
            return Ok(());
        }
        self.submit_to_queue(*spec)
    }

    /// The way that always works: into the queue, and a pass over all that wait.
    #[inline(never)]
    pub(super) fn submit_to_queue(&mut self, spec: WorkloadSpec) -> Result<(), Refusal> {
        self.s.could_ever_run(&spec)?;
        let id = WorkloadId(self.s.workloads.len() as u32);
        self.emit(EventKind::Queued { workload: id, spec: Arc::new(spec), reasons: Vec::new() });
        self.settle();
        self.explain_waiting(id);
        Ok(())
    }

    /// If a new workload waits, its first event says why.
    pub(super) fn explain_waiting(&mut self, id: WorkloadId) {
        if self.s.w(id).state.is_waiting() {
            let why = self.s.reasons(id, self.now, false);
            if let Some(EventKind::Queued { reasons, .. }) = self.events.first_mut().map(|e| &mut e.kind) {
                *reasons = why;
            }
        }
    }
}

impl State {
    /// Whether the request makes sense by itself.
    pub(super) fn check_spec(&self, spec: &WorkloadSpec) -> Result<(), Refusal> {
        check_name(&spec.name)?;
        self.known_quota(spec.quota)?;
        if let Some(old) = self.workload_names.get(&self.workloads, spec.workspace, &spec.name)
            && self.workload(old).is_some_and(|w| !w.state.is_ended())
        {
            return refuse(|| Refusal::NameTaken { noun: "workload", name: spec.name.to_string() });
        }
        if self.workloads.len() >= MAX_WORKLOADS {
            return refuse(|| Refusal::TooMany { noun: "workloads", limit: MAX_WORKLOADS as u64 });
        }
        if spec.roles.len() > MAX_ROLES {
            return refuse(|| Refusal::TooManyRoles { roles: spec.roles.len() });
        }
        if spec.is_service() && spec.roles.len() > 1 {
            return refuse(|| Refusal::ServiceRoles { roles: spec.roles.len() });
        }
        check_roles(&spec.roles)?;
        check_minimum(spec, spec.replicas())?;
        if spec.idle != IdleUse::Never && spec.module != Module::Training {
            return refuse(|| Refusal::IdleNotTraining { module: spec.module.word() });
        }
        if let Some(nodes) = &spec.nodes {
            let pool = self.pool_of(spec.quota);
            if let Some(&unknown) = nodes.iter().find(|&&n| !pool.nodes.contains(n)) {
                return refuse(|| Refusal::UnknownNode { node: format!("#{}", unknown.0) });
            }
            if !nodes.is_sorted_by(|a, b| a < b) {
                return refuse(|| Refusal::BadAmount {
                    what: "list of nodes".into(),
                    value: String::new(),
                    why: "is not in order",
                });
            }
        }
        Ok(())
    }

    /// Whether shares and nodes could host its minimum at all.
    pub(super) fn could_ever_run(&self, spec: &WorkloadSpec) -> Result<(), Refusal> {
        let pool = self.pool_of(spec.quota);
        self.run_ever(spec, spec.min()).map_err(|never| match never {
            Never::Funded { dimension, need, shares, .. } => Refusal::NeverFunded {
                quota: self.tree[spec.quota].name.to_string(),
                models: pool.models.clone(),
                demand: Resources::of(dimension, need),
                shares: Resources::of(dimension, shares),
            },
            Never::Placed { replicas, gpu, hosts } => {
                Refusal::NeverPlaced { pool: pool.name.to_string(), replicas, gpu, hosts }
            }
        })
    }

    /// Whether shares and nodes could host so many of its replicas at all. With several models, one has to do;
    /// a gang of several roles needs them all.
    pub(crate) fn run_ever(&self, spec: &WorkloadSpec, replicas: u32) -> Result<(), Never> {
        let pool = self.pool_of(spec.quota);
        let mut roles = Roles::from_slice(&spec.roles);
        if let [one] = &mut roles[..] {
            one.replicas = replicas;
        }
        let models: SmallVec<[Option<ModelId>; 2]> = match spec.gpus() {
            0 => smallvec![None],
            _ => (0..pool.models.len() as u8)
                .map(ModelId)
                .filter(|&m| spec.models.allows(m))
                .map(Some)
                .collect(),
        };
        let rules = funding::allowed(&self.tree, spec.quota, spec.module, spec.priority, spec.idle);
        let mut never = None;
        for model in models {
            match self
                .funded_ever(spec, rules, model, &roles)
                .and_then(|()| hosted_ever(&pool.nodes, spec, model, &roles))
            {
                Ok(()) => return Ok(()),
                Err(n) => never = never.or(Some(n)),
            }
        }
        Err(never.unwrap_or(Never::Placed { replicas, gpu: spec.roles[0].shape.gpu, hosts: 0 }))
    }

    fn funded_ever(
        &self,
        spec: &WorkloadSpec,
        rules: Rules,
        model: Option<ModelId>,
        roles: &[Role],
    ) -> Result<(), Never> {
        let quota = spec.quota;
        let ceiling = self.tree[quota].policy.ceiling.unwrap_or_default();
        for (d, need) in self.amounts(quota, model, roles) {
            if rules.own && self.ledger.cell(quota, d).share.max(ceiling[d]) >= need {
                continue;
            }
            let shares = self.shares_for(quota, rules, d, need);
            if shares < need {
                let pool = self.tree[quota].pool;
                return Err(Never::Funded { pool, quota, dimension: d, need, shares });
            }
        }
        Ok(())
    }

    /// Shares of all accounts that these rules reach, or of as many as are `enough`.
    fn shares_for(&self, quota: QuotaId, rules: Rules, d: Dimension, enough: i64) -> i64 {
        let mut sum = 0;
        for &a in &self.tree.tree(quota).order {
            if funding::rule_for(&self.tree, quota, rules, a).is_some() {
                sum += self.ledger.cell(a, d).share;
            }
            if sum >= enough {
                break;
            }
        }
        sum
    }
}

fn check_roles(roles: &[Role]) -> Result<(), Refusal> {
    let replicas: u64 = roles.iter().map(|r| u64::from(r.replicas)).sum();
    if replicas == 0 || roles.iter().any(|r| r.replicas == 0) {
        return refuse(|| Refusal::NoReplicas);
    }
    if replicas > u64::from(MAX_REPLICAS) {
        return refuse(|| Refusal::TooManyReplicas { replicas });
    }
    for r in roles {
        if (r.shape.gpu > WHOLE && r.shape.gpu % WHOLE != 0) || r.shape.devices() > MAX_DEVICES {
            return refuse(|| Refusal::BadGpus { milli: u64::from(r.shape.gpu) });
        }
        if i64::try_from(r.shape.memory).is_ok_and(|m| m <= MAX_AMOUNT / i64::from(MAX_REPLICAS)) {
            continue;
        }
        return refuse(|| Refusal::BadAmount {
            what: "memory of".into(),
            value: r.shape.memory.to_string(),
            why: "bytes is out of bounds",
        });
    }
    Ok(())
}

pub(super) fn check_minimum(spec: &WorkloadSpec, replicas: u32) -> Result<(), Refusal> {
    let Some(min) = spec.min_replicas else { return Ok(()) };
    let refuse = |why| Err(Refusal::BadMinimum { min, replicas, why });
    if spec.roles.len() > 1 && min != replicas {
        return refuse("does not go with several roles");
    }
    if min == 0 || min > replicas {
        return refuse("is not between 1 and all of them");
    }
    Ok(())
}

fn hosted_ever(
    nodes: &Nodes,
    spec: &WorkloadSpec,
    model: Option<ModelId>,
    roles: &[Role],
) -> Result<(), Never> {
    let models = model.map_or(ModelSet::ANY, |m| ModelSet::ANY.with(m));
    for r in roles {
        let hosts = nodes.hosts_empty(models, &r.shape, spec.nodes.as_deref());
        if hosts < u64::from(r.replicas) {
            return Err(Never::Placed { replicas: r.replicas, gpu: r.shape.gpu, hosts });
        }
    }
    Ok(())
}
