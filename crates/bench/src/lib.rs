//! How long decisions take, and how good they are.
//!
//! | module | what |
//! |---|---|
//! | `bench`, `clock`, `memory`, `samples`, `table` | measuring and printing |
//! | `cluster`, `sizes`, `random` | what the shapes are built from |
//! | `admit`, `preempt`, `reclaim`, `refuse` | single decisions, caches cold |
//! | `openb` | how full a real cluster gets |

pub mod admit;
pub mod bench;
pub mod clock;
pub mod cluster;
pub mod memory;
pub mod openb;
pub mod preempt;
pub mod random;
pub mod reclaim;
pub mod refuse;
pub mod samples;
pub mod sizes;
pub mod table;
