//! Requests and answers.

pub mod access;
pub mod answer;
pub mod app;
pub mod auth;
pub mod change;
mod describe;
pub mod extract;
pub mod metrics;
pub mod openapi;
pub mod problem;
pub mod router;
pub mod routes;
