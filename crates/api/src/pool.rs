//! Pools: nodes under one administration.

use crate::amounts::{Amounts, Figure};
use crate::body::{Check, Wrong};
use crate::decimal::Cores;
use crate::limits::{MAX_DEVICES, MAX_NODE_GROUPS, MAX_NODES_AT_ONCE};
use crate::memory::Memory;
use crate::name::Name;
use crate::resource::{NewMetadata, resource};
use crate::words::PoolKind;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a pool is made of. Nodes are named after the pool: `NAME-0`, `NAME-1`, ...
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"nodes": [{"count": 16, "gpus": 8, "model": "H100", "cpu": 128, "memory": "1Ti"}]})))]
pub struct PoolSpec {
    /// `general` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<PoolKind>,
    #[serde(default)]
    #[schema(max_items = 64)]
    pub nodes: Vec<NodeGroup>,
}

/// Nodes that are equal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeGroup {
    #[schema(minimum = 1, maximum = 10000)]
    pub count: u32,
    /// Devices of each node; 0 for machines without GPUs.
    #[schema(minimum = 0, maximum = 4096)]
    pub gpus: u32,
    /// The model of the devices; needed if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Name>,
    /// Cores of each node. If absent: 16 for each GPU, at least 64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Cores>,
    /// Memory of each node. If absent: 128 GiB for each GPU, at least 512 GiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Memory>,
}

impl Check for PoolSpec {
    fn check(&self, wrong: &mut Wrong) {
        wrong.bound("/nodes", self.nodes.len(), MAX_NODE_GROUPS, "groups of nodes");
        let all = self.nodes.iter().fold(0u32, |sum, group| sum.saturating_add(group.count));
        wrong.bound("/nodes", all as usize, MAX_NODES_AT_ONCE as usize, "nodes");
        for (index, group) in self.nodes.iter().enumerate() {
            let at = format!("/nodes/{index}");
            if group.count == 0 {
                wrong.add(&format!("{at}/count"), "a group has at least one node");
            }
            wrong.bound(&format!("{at}/gpus"), group.gpus as usize, MAX_DEVICES as usize, "GPUs of a node");
            if group.gpus > 0 && group.model.is_none() {
                wrong.add(&at, "nodes with GPUs need a GPU model");
            }
        }
    }
}

/// What a pool has, and how much of it is missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PoolStatus {
    pub nodes: NodeCounts,
    /// One row for each GPU model.
    pub gpus: Vec<ModelFigures>,
    /// What all nodes have, lost and cordoned ones included.
    pub supply: Amounts,
    /// What the root quotas are guaranteed.
    pub guaranteed: Amounts,
    /// What the guarantees exceed the ready nodes by; absent if nothing is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short_by: Option<Amounts>,
    /// Its root quotas: of each its name, or what it is if the reader may not see it.
    pub roots: Vec<String>,
}

/// Nodes by state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeCounts {
    pub total: u64,
    pub ready: u64,
    pub cordoned: u64,
    pub lost: u64,
}

/// GPUs of one model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelFigures {
    pub model: Name,
    /// Devices on all nodes.
    pub total: u64,
    /// Devices on ready nodes.
    pub ready: u64,
    /// What is occupied, on all nodes.
    pub used: Figure,
    /// What is free on ready nodes, parts of shared devices included.
    pub free: Figure,
    /// Devices on ready nodes that are free as a whole.
    pub free_devices: u64,
}

resource! {
    /// Nodes under one administration: the physical supply.
    Pool { kind: PoolResource, spec: PoolSpec, status: PoolStatus }
    /// A pool to create, with its first nodes.
    #[schema(examples(json!({
        "apiVersion": "tidegate.dev/v1", "kind": "Pool", "metadata": {"name": "h100"},
        "spec": {"nodes": [{"count": 16, "gpus": 8, "model": "H100"}]}
    })))]
    NewPool { metadata: NewMetadata }
    PoolList
}
