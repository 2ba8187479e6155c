//! Nodes: machines with GPUs, cores and memory.

use crate::amounts::Figure;
use crate::body::{Check, Wrong};
use crate::decimal::Cores;
use crate::limits::{MAX_DEVICES, MAX_REASON};
use crate::memory::Memory;
use crate::name::Name;
use crate::resource::{NewMetadata, resource};
use crate::words::Module;
use crate::workload::UnitState;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a machine has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"pool": "h100", "gpus": 8, "model": "H100", "cpu": 128, "memory": "1Ti"})))]
pub struct NodeSpec {
    pub pool: Name,
    #[schema(minimum = 0, maximum = 4096)]
    pub gpus: u32,
    /// The model of the devices; needed if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Name>,
    /// If absent: 16 cores for each GPU, at least 64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Cores>,
    /// If absent: 128 GiB for each GPU, at least 512 GiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Memory>,
}

impl Check for NodeSpec {
    fn check(&self, wrong: &mut Wrong) {
        wrong.bound("/gpus", self.gpus as usize, MAX_DEVICES as usize, "GPUs of a node");
        if self.gpus > 0 && self.model.is_none() {
            wrong.add("", "a node with GPUs needs a GPU model");
        }
    }
}

/// Whether a node takes new work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum NodeState {
    Ready,
    /// It takes nothing new; what runs there stays.
    Cordoned,
    /// What ran there has returned to its queues.
    Lost,
}

/// What is on a node, and what of it is free.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeStatus {
    pub state: NodeState,
    /// Why it is not ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub free: NodeFree,
    /// All devices, by index.
    pub devices: Vec<Device>,
    /// Replicas without a device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without_devices: Vec<Occupant>,
    /// How workspaces are kept apart there; absent where no processes are started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isolation: Option<Isolation>,
    /// What that means, and why it is so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isolation_detail: Option<String>,
    /// What the kernel bounds of each replica; absent where no processes are started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Vec<Limit>>,
}

/// How workspaces are kept apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Isolation {
    /// The processes of each run as a user of their own.
    Uid,
    /// All processes run as the same user.
    None,
}

/// What can be bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    Memory,
    Cpu,
    Processes,
}

impl Limit {
    pub fn word(self) -> &'static str {
        match self {
            Limit::Memory => "memory",
            Limit::Cpu => "cpu",
            Limit::Processes => "processes",
        }
    }
}

/// What of a node is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeFree {
    /// GPUs, parts of shared devices included.
    pub gpu: Figure,
    /// Devices that are free as a whole.
    pub devices: u32,
    pub cpu: Figure,
    /// Bytes.
    pub memory: u64,
}

/// One GPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Device {
    pub index: u32,
    /// Why it is out of service; absent if it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quarantined: Option<String>,
    /// Who occupies it: one workload, or several that share it.
    pub workloads: Vec<Occupant>,
}

/// A replica on a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Occupant {
    /// Its name, or what it is if the reader may not see it.
    pub name: String,
    /// Absent if the reader may not see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
    /// Number of the unit within the workload.
    pub unit: u32,
    /// How much of the device: 1, or a part of it.
    pub gpu: Figure,
    /// `leaving`: it was asked to stop and is not gone yet. `held`: it comes when others are gone.
    pub state: UnitState,
}

resource! {
    /// A machine: GPUs of one model (possibly none), CPU and memory.
    Node { kind: NodeResource, spec: NodeSpec, status: NodeStatus }
    /// A node to add.
    #[schema(examples(json!({
        "metadata": {"name": "h100-16"}, "spec": {"pool": "h100", "gpus": 8, "model": "H100"}
    })))]
    NewNode { metadata: NewMetadata }
    NodeList
}

/// Body of `:cordon` and `:uncordon`; may be left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"reason": "fan replaced on Tuesday"})))]
pub struct CordonRequest {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 253)]
    pub reason: Option<String>,
}

/// Body of `:quarantine`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"device": 3, "reason": "ECC errors"})))]
pub struct QuarantineRequest {
    /// The GPU, by index.
    #[schema(minimum = 0, maximum = 4095)]
    pub device: u16,
    #[schema(min_length = 1, max_length = 253)]
    pub reason: String,
}

/// Body of `:restore`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"device": 3})))]
pub struct RestoreRequest {
    /// The GPU, by index.
    #[schema(minimum = 0, maximum = 4095)]
    pub device: u16,
}

/// Body of `:drain`; may be left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"modules": ["training"], "reason": "firmware"})))]
pub struct DrainRequest {
    /// Evict workloads of these modules only; all if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_items = 1, max_items = 4)]
    pub modules: Option<Vec<Module>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 253)]
    pub reason: Option<String>,
}

fn check_reason(reason: &Option<String>, wrong: &mut Wrong) {
    let length = reason.as_ref().map_or(0, |text| text.chars().count());
    wrong.bound("/reason", length, MAX_REASON, "characters of a reason");
}

impl Check for CordonRequest {
    fn check(&self, wrong: &mut Wrong) {
        check_reason(&self.reason, wrong);
    }
}

impl Check for QuarantineRequest {
    fn check(&self, wrong: &mut Wrong) {
        if self.reason.trim().is_empty() {
            wrong.add("/reason", "say why, for whoever looks at it later");
        }
        wrong.bound("/reason", self.reason.chars().count(), MAX_REASON, "characters of a reason");
    }
}

impl Check for RestoreRequest {
    fn check(&self, _: &mut Wrong) {}
}

impl Check for DrainRequest {
    fn check(&self, wrong: &mut Wrong) {
        check_reason(&self.reason, wrong);
        if let Some(modules) = &self.modules {
            if modules.is_empty() {
                wrong.add("/modules", "name at least one module, or leave the field out for all");
            }
            wrong.bound("/modules", modules.len(), tidegate_engine::words::Module::ALL.len(), "modules");
        }
    }
}
