//! How long decisions take, and how good they are.
//!
//! | module | what |
//! |---|---|
//! | `bench`, `clock`, `memory`, `samples`, `table` | measuring and printing |
//! | `cluster`, `tree`, `sizes`, `random`, `trace` | what the shapes are built from |
//! | `admit`, `preempt`, `reclaim`, `refuse` | single decisions, caches cold |
//! | `instructions` | a decision's instructions |
//! | `backlog` | a very large cluster |
//! | `drive`, `flow`, `philly` | work in virtual time |
//! | `openb` | how full a real cluster gets |
//! | `booking` | the calendar of a supply with a hundred thousand bookings |
//! | `bill` | a month's statement from a million records of use |
//! | `service` | a real server over loopback HTTP, on a real directory |
//! | `process` | the binary itself, and real processes |

pub mod admit;
pub mod backlog;
pub mod bench;
pub mod bill;
pub mod booking;
pub mod clock;
pub mod cluster;
pub mod drive;
pub mod flow;
pub mod instructions;
pub mod memory;
pub mod openb;
pub mod philly;
pub mod preempt;
pub mod process;
pub mod random;
pub mod reclaim;
pub mod refuse;
pub mod samples;
pub mod service;
pub mod sizes;
pub mod table;
pub mod trace;
pub mod tree;
