//! Quotas and how they hang together: parents, children, depth, tree order.

use crate::ids::{PoolId, QuotaId};
use crate::policy::{Policy, QuotaSpec, Source};
use crate::resources::{Dimension, Resources};
use crate::words::Scope;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// Levels of a quota tree, the root included.
pub const MAX_DEPTH: u8 = 8;
/// Quotas in all, deleted ones included.
pub const MAX_QUOTAS: usize = 100_000;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quota {
    pub id: QuotaId,
    pub name: Box<str>,
    pub pool: PoolId,
    pub parent: Option<QuotaId>,
    pub root: QuotaId,
    /// 1 for a root.
    pub depth: u8,
    /// In order of creation.
    pub children: Vec<QuotaId>,
    pub guarantee: Resources,
    pub policy: Policy,
    pub deleted: bool,
    /// Position in its tree's order (parents before children, children by creation), and the
    /// position after its last descendant.
    pub(crate) order: u32,
    pub(crate) end: u32,
    /// Workloads that have not ended.
    pub live: u32,
    /// From the parent to the root.
    pub(crate) above: SmallVec<[QuotaId; 3]>,
    /// A policy may name its units: herds are kept of them.
    pub(crate) hunted: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tree {
    pub(crate) root: QuotaId,
    /// All quotas of the tree, in tree order.
    pub(crate) order: Vec<QuotaId>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct QuotaTree {
    quotas: Vec<Quota>,
    trees: Vec<Tree>,
    /// Position of each quota's tree in `trees`.
    tree_of: Vec<u32>,
}

impl QuotaTree {
    pub(crate) fn len(&self) -> usize {
        self.quotas.len()
    }

    pub(crate) fn get(&self, id: QuotaId) -> Option<&Quota> {
        self.quotas.get(id.index()).filter(|q| !q.deleted)
    }

    pub(crate) fn trees(&self) -> &[Tree] {
        &self.trees
    }

    pub(crate) fn tree_index(&self, id: QuotaId) -> usize {
        self.tree_of[id.index()] as usize
    }

    pub(crate) fn tree(&self, id: QuotaId) -> &Tree {
        &self.trees[self.tree_index(id)]
    }

    pub(crate) fn insert(&mut self, id: QuotaId, spec: &QuotaSpec) {
        assert_eq!(id.index(), self.quotas.len(), "quotas are numbered in order of creation");
        let (pool, parent, root, depth) = match spec.source {
            Source::Pool(pool) => (pool, None, id, 1),
            Source::Parent(p) => (self[p].pool, Some(p), self[p].root, self[p].depth + 1),
        };
        let above = parent.into_iter().chain(parent.into_iter().flat_map(|p| self[p].above.iter().copied()));
        let above = above.collect();
        self.quotas.push(Quota {
            id,
            name: spec.name.clone(),
            pool,
            parent,
            root,
            depth,
            children: Vec::new(),
            guarantee: spec.guarantee,
            policy: spec.policy,
            deleted: false,
            order: 0,
            end: 0,
            live: 0,
            above,
            hunted: false,
        });
        match parent {
            Some(p) => {
                self.quotas[p.index()].children.push(id);
                self.tree_of.push(self.tree_of[p.index()]);
            }
            None => {
                self.tree_of.push(self.trees.len() as u32);
                self.trees.push(Tree { root: id, order: Vec::new() });
            }
        }
        self.reorder(root);
    }

    pub(crate) fn remove(&mut self, id: QuotaId) {
        let (parent, root) = (self[id].parent, self[id].root);
        self.quotas[id.index()].deleted = true;
        if let Some(p) = parent {
            self.quotas[p.index()].children.retain(|&c| c != id);
        }
        self.reorder(root);
    }

    /// Numbers a tree anew after a change of its shape.
    fn reorder(&mut self, root: QuotaId) {
        let mut order = Vec::new();
        if !self[root].deleted {
            self.number(root, &mut order);
        }
        let tree = self.tree_index(root);
        self.trees[tree].order = order;
    }

    /// Recursion is bounded by `MAX_DEPTH`.
    fn number(&mut self, id: QuotaId, order: &mut Vec<QuotaId>) {
        self.quotas[id.index()].order = order.len() as u32;
        order.push(id);
        for i in 0..self.quotas[id.index()].children.len() {
            let child = self.quotas[id.index()].children[i];
            self.number(child, order);
        }
        self.quotas[id.index()].end = order.len() as u32;
    }

    pub(crate) fn is_descendant(&self, below: QuotaId, above: QuotaId) -> bool {
        let (b, a) = (&self[below], &self[above]);
        b.root == a.root && b.order > a.order && b.order < a.end
    }

    pub(crate) fn are_siblings(&self, a: QuotaId, b: QuotaId) -> bool {
        a != b && self[a].parent.is_some() && self[a].parent == self[b].parent
    }

    /// Strict descendants, in tree order.
    pub(crate) fn descendants(&self, id: QuotaId) -> &[QuotaId] {
        let q = &self[id];
        &self.tree(id).order[q.order as usize + 1..q.end as usize]
    }

    /// Siblings, in tree order.
    pub(crate) fn siblings(&self, id: QuotaId) -> impl Iterator<Item = QuotaId> + '_ {
        let children: &[QuotaId] = match self[id].parent {
            Some(p) => &self[p].children,
            None => &[],
        };
        children.iter().copied().filter(move |&s| s != id)
    }

    /// From the parent to the root.
    pub(crate) fn ancestors(&self, id: QuotaId) -> impl Iterator<Item = QuotaId> + '_ {
        self[id].above.iter().copied()
    }

    /// Guarantees of the children together.
    pub(crate) fn promised(&self, id: QuotaId) -> Resources {
        self[id].children.iter().fold(Resources::default(), |sum, &c| sum.plus(&self[c].guarantee))
    }

    /// Dimensions that the tree keeps books on: all GPU models, and CPU and memory if the root states them.
    pub(crate) fn keeps(&self, id: QuotaId, dimension: Dimension) -> bool {
        dimension.model().is_some() || self[self[id].root].guarantee[dimension] > 0
    }

    /// Whether `q`'s high priorities may draw on siblings.
    pub(crate) fn lends_to(&self, q: QuotaId) -> Option<crate::policy::SelfLevel> {
        self[q].policy.self_level.filter(|s| s.scope() != Scope::SameQuota && self[q].parent.is_some())
    }
}

impl std::ops::Index<QuotaId> for QuotaTree {
    type Output = Quota;
    #[inline]
    fn index(&self, id: QuotaId) -> &Quota {
        &self.quotas[id.index()]
    }
}

impl std::ops::IndexMut<QuotaId> for QuotaTree {
    #[inline]
    fn index_mut(&mut self, id: QuotaId) -> &mut Quota {
        &mut self.quotas[id.index()]
    }
}
