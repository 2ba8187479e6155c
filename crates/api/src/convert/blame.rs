//! Which field of a resource a refusal of the engine is about.

use crate::problem::Problem;
use tidegate_engine::Refusal;

/// The problem of a refused specification, with a pointer where one field is to blame.
pub fn blame(refusal: Refusal) -> Problem {
    use Refusal::*;
    let pointer = match &refusal {
        BadName { .. } | NameTaken { .. } | NodeExists { .. } => Some("/metadata/name"),
        UnknownQuota { .. } | TreeTooDeep { .. } => Some("/spec/parent"),
        UnknownPool { .. } => Some("/spec/pool"),
        NoGpuModel { .. } => Some("/spec/model"),
        EmptyPolicySet { policy, .. } if *policy == "child-level" => Some("/spec/preemption/childLevel"),
        EmptyPolicySet { .. } | LowNotBelowHigh { .. } => Some("/spec/preemption/selfLevel"),
        ShareTooSmall { .. } | PoolTooSmall { .. } | BelowChildren { .. } => Some("/spec/guarantee"),
        DimensionNotKept { .. } | DimensionMissing { .. } => Some("/spec/guarantee"),
        TooManyReplicas { .. } | NoReplicas => Some("/spec/replicas"),
        TooManyRoles { .. } | ServiceRoles { .. } => Some("/spec/roles"),
        BadMinimum { .. } => Some("/spec/minReplicas"),
        BadGpus { .. } => Some("/spec/resources/gpu"),
        IdleNotTraining { .. } => Some("/spec/idle"),
        _ => None,
    };
    let problem = Problem::from(refusal);
    match pointer {
        Some(pointer) => problem.at(pointer),
        None => problem,
    }
}
