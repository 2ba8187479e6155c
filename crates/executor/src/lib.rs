//! Makes decisions real: the contract of executors, the local one and the virtual one.
//!
//! | where | what |
//! |---|---|
//! | `executor`, `assignment`, `launch`, `report` | the contract: what goes in and comes out |
//! | `contract` | the cases that every executor passes |
//! | `dispatch`, `progress` | from the engine's events to assignments |
//! | `inbox` | from reports to the engine's commands |
//! | `local`, `supervisor` | real processes on this machine, and who looks after each |
//! | `proc`, `size` | processes as the kernel tells of them, and bytes in words |
//! | `virtual_executor` | starts nothing; durations are given |
//!
//! An executor is told what should run, never what to do: it compares that with what it has, and starts and
//! stops the difference. So an assignment may be sent twice, late, or again after any of the two was killed.

pub mod assignment;
pub mod contract;
pub mod dispatch;
pub mod executor;
pub mod inbox;
pub mod launch;
pub mod local;
mod proc;
pub mod progress;
pub mod report;
pub mod size;
pub mod supervisor;
pub mod virtual_executor;

pub use assignment::{Assignment, Leaving, Replica};
pub use dispatch::{Change, Dispatch};
pub use executor::{Executor, Waker};
pub use inbox::{ExitStatus, Finding, Inbox};
pub use launch::{Handover, Launch, Warm, Work};
pub use local::LocalExecutor;
pub use progress::Progress;
pub use report::{Report, Running};
pub use virtual_executor::VirtualExecutor;
