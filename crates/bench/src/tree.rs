//! Quota trees of four levels.

use crate::cluster::Cluster;
use tidegate_engine::ids::QuotaId;
use tidegate_engine::policy::Policy;

/// Every quota of a level is like the others.
#[derive(Clone, Copy, Debug)]
pub struct Levels {
    /// Children of the root, of each of these, and of each of those.
    pub fans: [u32; 3],
    /// GPUs of a quota's own share below the root; the root keeps what is left.
    pub shares: [u32; 3],
}

impl Levels {
    /// 1 root, 9 below it, 10 below each of these, 10 below each of those.
    pub const THOUSAND: [u32; 3] = [9, 10, 10];

    /// Creates the tree over all of the cluster: every quota with its share, the root first.
    pub fn build(&self, cluster: &mut Cluster, gpus: u32, policy: Policy) -> Vec<(QuotaId, u32)> {
        let guarantees = [0, 1, 2].map(|level| self.guarantee(level));
        let root = cluster.root(gpus, policy);
        let mut quotas = vec![(root, gpus - self.fans[0] * guarantees[0])];
        for _ in 0..self.fans[0] {
            let first = cluster.child(root, guarantees[0], policy);
            quotas.push((first, self.shares[0]));
            for _ in 0..self.fans[1] {
                let second = cluster.child(first, guarantees[1], policy);
                quotas.push((second, self.shares[1]));
                for _ in 0..self.fans[2] {
                    quotas.push((cluster.child(second, guarantees[2], policy), self.shares[2]));
                }
            }
        }
        quotas
    }

    fn guarantee(&self, level: usize) -> u32 {
        let below = if level < 2 { self.fans[level + 1] * self.guarantee(level + 1) } else { 0 };
        self.shares[level] + below
    }
}
