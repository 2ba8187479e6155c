//! The shell: control loop, routes, authentication, watch, metrics.

pub mod core;
pub mod executor_loop;
pub mod http;
pub mod net;
pub mod token;
pub mod view;
