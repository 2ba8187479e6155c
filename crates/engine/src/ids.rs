//! Newtypes for everything that is counted, numbered or timed.

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $name(pub $inner);

        impl $name {
            /// The position in the table that holds it.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// A pool of nodes; numbered in order of creation, never reused.
    PoolId(u16)
);
id!(
    /// A node within its pool; numbered in order of addition, never reused.
    NodeId(u32)
);
id!(
    /// A GPU model within its pool; numbered in order of first appearance.
    ModelId(u8)
);
id!(
    /// A quota and its account; numbered in order of creation, never reused.
    QuotaId(u32)
);
id!(
    /// A workload; numbered in order of submission, never reused.
    WorkloadId(u32)
);
id!(
    /// A workspace, as far as the engine needs to tell workspaces apart.
    WorkspaceId(u32)
);

impl WorkspaceId {
    /// The workspace of whoever has no other.
    pub const DEFAULT: WorkspaceId = WorkspaceId(0);
}

/// A point in time: milliseconds since the start of the log's epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Tick(pub u64);

/// A length of time in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span(pub u64);

impl Span {
    pub const ZERO: Span = Span(0);

    pub const fn seconds(s: u64) -> Span {
        Span(s * 1_000)
    }

    pub const fn minutes(m: u64) -> Span {
        Span::seconds(m * 60)
    }

    pub const fn hours(h: u64) -> Span {
        Span::minutes(h * 60)
    }
}

impl Tick {
    pub const ZERO: Tick = Tick(0);

    /// Time passed since `earlier`; zero if `earlier` is later.
    #[inline]
    pub fn since(self, earlier: Tick) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }

    #[inline]
    pub fn after(self, span: Span) -> Tick {
        Tick(self.0.saturating_add(span.0))
    }
}
