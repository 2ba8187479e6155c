//! What every benchmark works with: a stopwatch, cold caches, the table.

use crate::clock::Stopwatch;
use crate::cluster::{Cluster, measured_decision};
use crate::memory::Chill;
use crate::samples::{Samples, duration};
use crate::table::Table;
use tidegate_engine::Command;
use tidegate_engine::event::Event;

/// What the caches hold when a sample begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caches {
    /// Neither data nor code of the engine.
    Cold,
    /// Code: a small engine has just decided something of the kind.
    CodeWarm,
    /// Whatever the preparation of the sample left there.
    Warm,
}

#[derive(Debug)]
pub struct Bench {
    pub watch: Stopwatch,
    pub chill: Chill,
    /// Smaller sizes and fewer samples.
    pub quick: bool,
    pub table: Table,
    /// Nanoseconds to admit one replica beside a long backlog, once that was measured.
    pub beside_backlog: Option<f64>,
}

impl Bench {
    /// Times one command with caches as they are.
    pub fn warm(&self, cluster: &mut Cluster, command: Command) -> (f64, Vec<Event>) {
        let (engine, now) = (&mut cluster.engine, cluster.now);
        self.watch.time_alone(|| measured_decision(engine, now, command))
    }

    /// Times one command after everything has left the caches.
    pub fn cold(&mut self, cluster: &mut Cluster, command: Command) -> (f64, Vec<Event>) {
        self.chill.chill();
        self.warm(cluster, command)
    }

    /// As many samples as asked for, or a tenth.
    pub fn samples(&self, n: usize) -> usize {
        if self.quick { (n / 10).max(3) } else { n }
    }

    pub fn progress(&self, what: &str) {
        eprintln!("{what} ...");
    }
}

/// Median and tail, for people.
pub fn spread(samples: &Samples) -> String {
    format!("p50 {}, p99 {}", duration(samples.p50()), duration(samples.p99()))
}
