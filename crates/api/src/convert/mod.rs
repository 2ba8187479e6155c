//! Between the wire and the engine. Pure: what only the server knows is an argument.
//!
//! | where | from the wire | to the wire |
//! |---|---|---|
//! | `pool` | nodes to add | what a pool has |
//! | `node` | a node to add | what sits on it |
//! | `quota` | guarantees and policies | the books |
//! | `workload` | the demand | state, placements, draws |
//! | `explain` | | reasons |
//! | `blame` | | the field that a refusal is about |

mod blame;
mod explain;
mod node;
mod pool;
mod quota;
mod workload;

pub use blame::blame;
pub use quota::{QuotaUse, uses};
pub use workload::{Place, WorkloadFacts};

use crate::name::Name;
use crate::pointer::escape;
use crate::problem::{Code, Problem};
use tidegate_engine::Engine;
use tidegate_engine::ids::{PoolId, QuotaId};

/// A name that the engine gave out. It checks names by the same rule, so it always is one.
pub(crate) fn name(text: &str) -> Name {
    Name::new(text).unwrap_or_else(|_| Name::unknown())
}

fn unknown(noun: &str, name: &str, at: &str) -> Problem {
    Problem::new(Code::UnknownReference, format!("there is no {noun} {name}")).at(at)
}

/// The quota of this name; `at` points to where it is named.
pub fn quota_at(engine: &Engine, name: &Name, at: &str) -> Result<QuotaId, Problem> {
    engine.quota_named(name).ok_or_else(|| unknown("quota", name, at))
}

/// The pool of this name; `at` points to where it is named.
pub fn pool_at(engine: &Engine, name: &Name, at: &str) -> Result<PoolId, Problem> {
    engine.pool_named(name).ok_or_else(|| unknown("pool", name, at))
}

/// A pointer to an entry of a list or an object.
fn entry(at: &str, key: impl std::fmt::Display) -> String {
    format!("{at}/{}", escape(&key.to_string()))
}
