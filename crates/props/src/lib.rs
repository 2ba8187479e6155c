//! Properties of the engine in random worlds, and its plans against exhaustive search.
//!
//! | where | what |
//! |---|---|
//! | `trial` | how many cases, from which seed |
//! | `world`, `step` | pools, quota trees and policies; what happens to them |
//! | `stage` | plays commands to an engine, its twin and the checker, and judges every step |
//! | `story` | commands and events as people read them |
//! | `naive` | books, rules, queues and placement once more, as plainly as they can be written |
//! | `exhaustive`, `differential` | the best plan among all sets of victims, and how the engine compares |
//! | `dice` | random numbers for what needs no shrinking |
//! | `garbage` | commands that nobody would give |
//!
//! Nothing here calls the engine's own decisions to judge them; of the engine only types and views are used.

pub mod dice;
pub mod differential;
pub mod exhaustive;
pub mod garbage;
pub mod naive;
pub mod stage;
pub mod step;
pub mod story;
pub mod trial;
pub mod world;
