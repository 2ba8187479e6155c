//! The rules once more, as plainly as they can be written: nothing is indexed, nothing is remembered.

pub mod books;
pub mod eviction;
pub mod queue;
pub mod room;
pub mod rules;
