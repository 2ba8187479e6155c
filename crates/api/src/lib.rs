//! The wire: request and response types, problem codes, limits, manifests.
//!
//! | where | what |
//! |---|---|
//! | `name`, `duration`, `memory`, `decimal`, `priorities`, `time`, `words` | values that are parsed once, at the door |
//! | `by_model`, `amounts` | amounts of GPUs, cores and memory |
//! | `resource`, `page`, `body` | envelopes, lists, reading and checking bodies |
//! | `pool`, `node`, `quota`, `workload`, `template`, `task`, `workspace`, `people`, `webhook` | the resources |
//! | `dedicated` | requests of compute of one's own, and what came of them |
//! | `metering`, `bill` | what was used, prices, what it costs |
//! | `explain`, `event`, `series`, `simulation`, `actions`, `output`, `audit`, `server` | what else is sent and answered |
//! | `manifest` | resources in YAML and JSON |
//! | `problem`, `code`, `pointer` | errors |
//! | `convert`, `uid` | between the wire and the engine |
//! | `limits` | every bound, with its reason |

pub mod actions;
pub mod advice;
pub mod amounts;
pub mod audit;
pub mod bill;
pub mod body;
pub mod budget;
pub mod by_model;
pub mod code;
pub mod convert;
pub mod decimal;
pub mod dedicated;
pub mod duration;
pub mod event;
pub mod explain;
pub mod limits;
pub mod login;
pub mod manifest;
pub mod memory;
pub mod metering;
pub mod name;
pub mod node;
pub mod output;
pub mod page;
pub mod people;
pub mod pointer;
pub mod policy;
pub mod pool;
pub mod priorities;
pub mod problem;
pub mod quota;
pub mod resource;
pub mod schema;
pub mod series;
pub mod server;
pub mod simulation;
pub mod task;
pub mod template;
pub mod time;
pub mod uid;
pub mod usage;
pub mod webhook;
pub mod words;
pub mod workload;
mod workload_check;
pub mod workspace;
mod yaml;

pub use code::Code;
pub use problem::Problem;
