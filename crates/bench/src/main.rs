//! Benchmarks: prints one table.

fn main() {}
