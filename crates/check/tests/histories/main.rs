//! Hand-made histories: legal ones pass, and every kind of breach is found.

mod history;
mod lifecycle;
