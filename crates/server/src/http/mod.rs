//! Requests and answers.

pub mod app;
pub mod auth;
pub mod change;
pub mod problem;
