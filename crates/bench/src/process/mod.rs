//! Real processes: the binary `tidegate` as a user starts it, beside this program.
//!
//! | where | what |
//! |---|---|
//! | `binary` | a server of its own |
//! | `started` | from a submission to the process that runs |
//! | `supervisor` | what looking after a process takes in memory |
//! | `proxy` | what passing requests on costs |
//! | `jobs` | many short jobs, one after the other |
//! | `warm` | tasks that do nothing, from the submission to the result |

pub mod binary;
pub mod jobs;
pub mod proxy;
pub mod started;
pub mod supervisor;
pub mod warm;
