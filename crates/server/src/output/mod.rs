//! What workloads wrote: read back, followed, and dropped when it is old.
//!
//! | where | what |
//! |---|---|
//! | `trail` | the files of one replica as one stream |
//! | `tail` | where the last lines begin |
//! | `reading` | all replicas of a workload |
//! | `sweep` | what is too old |

pub mod reading;
pub mod sweep;
mod tail;
pub mod trail;
