//! The world as resources.

use crate::core::world::World;
use tidegate_api::workload::Workload;
use tidegate_engine::ids::{Tick, WorkloadId};

pub fn workload(_world: &World, _id: WorkloadId, _now: Tick) -> Option<Workload> {
    None
}
