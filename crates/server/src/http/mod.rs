//! Requests and answers.

pub mod access;
pub mod accounting;
pub mod answer;
pub mod app;
pub mod auth;
pub mod change;
pub mod console;
pub mod csv;
mod describe;
pub mod extract;
pub mod eyes;
pub mod metrics;
pub mod openapi;
pub mod problem;
mod repeat;
pub mod rights;
pub mod router;
pub mod routes;
pub mod scope;
pub mod sight;
pub mod submission;
mod unread;
pub mod visit;
