//! The shell: control loop, routes, authentication, watch, metrics.
//!
//! | where | what |
//! |---|---|
//! | `apps` | notebooks and services, reached through the server |
//! | `audit` | who changed what, read back from the log |
//! | `center` | the scheduling center: policies, what happens by time, who uses how much |
//! | `core` | the world in memory, the one writer, the log behind it |
//! | `dedicated` | compute of one's own: requests, periods, growth |
//! | `hooks` | webhooks: workspaces are told what happens to their workloads |
//! | `http` | requests and answers: one module per resource below `routes` |
//! | `login` | passwords, sessions, invitations, a provider of identities |
//! | `beside` | the small databases beside the log |
//! | `meter` | who used what, from when to when: records that follow from the log |
//! | `tariff` | price books as they are written, and as they are kept |
//! | `net` | connections, TLS |
//! | `metrics`, `samples` | figures for Prometheus, figures over time |
//! | `tasks` | templates, where tasks run, what they give back |
//! | `view`, `here` | the world as resources, and what this machine adds to it |
//! | `serve`, `door`, `first_run`, `executor_loop`, `local` | a running server |
//! | `config`, `machine`, `token`, `private` | what it is told, what it finds, whom it trusts, what it shows |

pub mod apps;
pub mod audit;
pub mod beside;
pub mod budgets;
pub mod center;
pub mod config;
pub mod core;
pub mod dedicated;
pub mod door;
pub mod executor_loop;
pub mod first_run;
pub mod here;
pub mod hooks;
pub mod http;
pub mod local;
pub mod login;
pub mod machine;
pub mod meter;
pub mod metrics;
pub mod net;
pub mod output;
pub mod private;
pub mod samples;
pub mod serve;
pub mod tariff;
pub mod tasks;
pub mod token;
pub mod view;
