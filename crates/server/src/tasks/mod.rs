//! Tasks: what they are made of, where they run, what they give back.
//!
//! | where | what |
//! |---|---|
//! | `templates` | templates between the wire and the records |
//! | `place` | shared compute, and where a task goes |

pub mod place;
pub mod templates;
