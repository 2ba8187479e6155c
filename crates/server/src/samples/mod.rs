//! Figures over time: every ten seconds a look at the world, kept apart from the log. The log is the truth; this is
//! a convenience, and may be deleted.
//!
//! | where | what |
//! |---|---|
//! | `measure` | the world as figures |
//! | `taken` | what replicas take, summed up |
//! | `block` | ten minutes of one subject, packed |
//! | `file` | blocks in SQLite: fine for a week, as means for a year |
//! | `samples` | blocks that are being filled, and series of all |
//! | `sampler` | the thread that looks |

mod block;
mod file;
mod measure;
mod sampler;
#[allow(clippy::module_inception, reason = "the noun that it is about")]
mod samples;
mod taken;

pub use measure::{Kind, Subject};
pub use sampler::{Sampler, start};
pub use samples::{Lately, Samples};

use tidegate_engine::ids::Span;

/// Time between two looks.
pub const INTERVAL: Span = Span::seconds(10);
/// Looks of one block: ten minutes.
pub const SLOTS: usize = 60;
/// Time that one block covers; also the step of what is kept coarse.
pub const BLOCK: Span = Span(INTERVAL.0 * SLOTS as u64);
/// Single looks are kept this long.
pub const FINE: Span = Span::hours(7 * 24);
/// Means are kept this long.
pub const COARSE: Span = Span::hours(365 * 24);
/// Subjects of one kind that are looked at; the first ones, where there are more. Bounds memory and writing.
pub const MAX_SUBJECTS: usize = 1_000;
/// Blocks in the file. With some hundred bytes each, half a gigabyte; one and a half more where a thousand replicas
/// are busy for a week. Beyond it the oldest go.
pub const MAX_BLOCKS: u64 = 4_000_000;
