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

id!(
    /// A member of workspaces, as far as the engine needs to tell members apart.
    MemberId(u32)
);
id!(
    /// A role that members have; below 64.
    RoleId(u8)
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

/// `0s`, `1m30s`, `1h30m`, `2d`, `500ms`: the units that are not zero.
impl std::fmt::Display for Tick {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const UNITS: [(&str, u64); 5] =
            [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];
        if self.0 == 0 {
            return f.write_str("0s");
        }
        let mut rest = self.0;
        for (unit, length) in UNITS {
            if rest >= length {
                write!(f, "{}{unit}", rest / length)?;
                rest %= length;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_as_they_are_written() {
        for (ms, text) in [
            (0, "0s"),
            (90_000, "1m30s"),
            (3_600_000, "1h"),
            (5_400_000, "1h30m"),
            (500, "500ms"),
            (86_400_000, "1d"),
            (90_061_001, "1d1h1m1s1ms"),
        ] {
            assert_eq!(Tick(ms).to_string(), text);
        }
    }
}
