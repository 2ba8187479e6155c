//! Dedicated compute: who asked for it, what was agreed, and how the books follow what was agreed.
//!
//! Every resource config has a quota of its own below the quota that is marked as dedicated, its supply. Periods and
//! growth change the guarantee of that quota and nothing else: that is where tasks run, and what is paid for.
//!
//! | where | what |
//! |---|---|
//! | `wire` | requests and configs between the wire and the records |
//! | `agree` | requests, and what is decided of them |
//! | `periods` | capacity is carved out when a period begins, and returned when it is over |
//! | `growth` | compute by usage grows and shrinks |
//! | `supply` | what a supply has, and whom it belongs to |
//! | `pools` | which configs a task may go to, and how much of each is in use |
//! | `clockwork` | all of this as time goes by |
//!
//! **Invariant:** what a config pays for is its `hold`, as it was agreed; the books may be a little ahead or behind.

pub mod agree;
pub mod clockwork;
pub mod growth;
pub mod periods;
pub mod pools;
pub mod supply;
pub mod wire;
