//! The heart of the service: the world in memory, one writer, the log behind it.

pub mod audit;
pub mod clock;
pub mod control;
pub mod deck;
mod encode;
pub mod entry;
mod handover;
pub mod hub;
mod intake;
mod journal;
pub mod learnt;
pub mod lines;
pub mod live;
pub mod notices;
pub mod outbox;
pub mod past;
pub mod people_lines;
pub mod receipts;
pub mod recovery;
mod retire;
pub mod rooms;
pub mod seal;
pub mod shell;
pub mod vital;
pub mod waiters;
pub mod world;
pub mod writer;
