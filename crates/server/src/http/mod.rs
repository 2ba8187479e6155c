//! Requests and answers.

mod answer;
pub mod app;
mod auth;
mod change;
mod extract;
mod metrics;
pub mod openapi;
mod problem;
pub mod router;
mod routes;
