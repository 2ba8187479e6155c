//! Durable log, snapshots and what lies beside them, in SQLite. Knows bytes, not meanings.
