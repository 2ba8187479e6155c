//! The quota tree and its accounts, kept naively.

use crate::line::{Line, Standing};
use std::collections::{BTreeMap, BTreeSet};
use tidegate_engine::ids::{PoolId, QuotaId};
use tidegate_engine::policy::Policy;
use tidegate_engine::resources::{DIMENSIONS, Dimension, Resources};
use tidegate_engine::unit::Draw;
use tidegate_engine::words::Rule;

/// A declared overdraft.
#[derive(Clone, Debug)]
pub(crate) struct Overdraft {
    /// What is left of it: later excesses may not be larger.
    pub(crate) left: Resources,
    /// What it was when it was last declared: so much of others' gains waits for it, at most.
    pub(crate) declared: Resources,
}

#[derive(Clone, Debug)]
pub(crate) struct Quota {
    pub(crate) name: String,
    pub(crate) pool: PoolId,
    pub(crate) root: QuotaId,
    pub(crate) parent: Option<QuotaId>,
    pub(crate) children: BTreeSet<QuotaId>,
    /// 0 for a root.
    pub(crate) depth: u8,
    pub(crate) guarantee: Resources,
    pub(crate) policy: Policy,
    pub(crate) lines: [Line; DIMENSIONS],
    /// Draws of what runs or leaves.
    pub(crate) by_rule: BTreeMap<(Dimension, Rule), i64>,
    pub(crate) overdraft: Option<Overdraft>,
    /// Workloads of this quota that have not ended.
    pub(crate) live: u32,
}

/// All quotas that exist. Ids are not reused.
pub(crate) type Quotas = BTreeMap<QuotaId, Quota>;

impl Quota {
    pub(crate) fn line(&self, d: Dimension) -> &Line {
        &self.lines[d.index()]
    }

    pub(crate) fn post(&mut self, draw: &Draw, standing: Standing, sign: i64) {
        self.lines[draw.dimension.index()].add(standing, sign * draw.amount);
        if standing != Standing::Held {
            *self.by_rule.entry((draw.dimension, draw.rule)).or_default() += sign * draw.amount;
        }
    }

    pub(crate) fn is_unused(&self) -> bool {
        self.lines.iter().all(|line| *line == Line::default())
    }
}

pub(crate) fn share(quotas: &Quotas, id: QuotaId) -> Resources {
    let quota = &quotas[&id];
    quota.children.iter().fold(quota.guarantee, |rest, child| rest.minus(&quotas[child].guarantee))
}

/// How far an account is used beyond its share, by dimension; zero where it is not.
pub(crate) fn excess(quotas: &Quotas, id: QuotaId) -> Resources {
    let (quota, share) = (&quotas[&id], share(quotas, id));
    let mut excess = Resources::default();
    for d in Dimension::all() {
        excess[d] = (quota.line(d).used() - share[d]).max(0);
    }
    excess
}

/// Strictly below.
pub(crate) fn is_descendant(quotas: &Quotas, id: QuotaId, ancestor: QuotaId) -> bool {
    let mut at = quotas[&id].parent;
    while let Some(parent) = at {
        if parent == ancestor {
            return true;
        }
        at = quotas[&parent].parent;
    }
    false
}

/// Roots are not siblings.
pub(crate) fn are_siblings(quotas: &Quotas, a: QuotaId, b: QuotaId) -> bool {
    a != b && quotas[&a].parent.is_some() && quotas[&a].parent == quotas[&b].parent
}

/// Quotas of one tree, the root first.
pub(crate) fn tree(quotas: &Quotas, root: QuotaId) -> Vec<QuotaId> {
    let mut found = vec![root];
    let mut next = 0;
    while let Some(&id) = found.get(next) {
        found.extend(&quotas[&id].children);
        next += 1;
    }
    found
}
