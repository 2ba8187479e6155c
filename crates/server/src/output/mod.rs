//! What workloads wrote: read back, followed, and dropped when it is old or belongs to nobody.
//!
//! | where | what |
//! |---|---|
//! | `trail` | the files of one replica as one stream |
//! | `tail` | where the last lines begin |
//! | `reading` | all replicas of a workload |
//! | `sweep` | what is too old |
//! | `directories` | what belonged to workloads that were deleted |

mod directories;
pub mod reading;
pub mod sweep;
mod tail;
pub mod trail;
