//! The shell: control loop, routes, authentication, watch, metrics.
