//! Wall time and CPU time: the only place of this crate that reads a clock.

use std::collections::BTreeMap;
use std::fs;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Readings of the clock from which its own cost is taken.
const READINGS: usize = 10_001;

/// Nanoseconds from which on a sample outweighs what an interruption does to the caches.
const LONG: f64 = 500_000.0;

/// A stopwatch that knows what it costs to press it.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    /// Nanoseconds between two readings with nothing in between.
    pub overhead: f64,
}

impl Default for Stopwatch {
    fn default() -> Self {
        Stopwatch::new()
    }
}

impl Stopwatch {
    pub fn new() -> Stopwatch {
        let mut costs: Vec<f64> = (0..READINGS).map(|_| nanoseconds(|| ()).0).collect();
        costs.sort_by(f64::total_cmp);
        Stopwatch { overhead: costs[READINGS / 2] }
    }

    /// As `time`, less the time that the thread waited for a core. A short sample that was interrupted is
    /// not a number: whoever had the core left other things in the caches.
    pub fn time_alone<T>(&self, work: impl FnOnce() -> T) -> (f64, T) {
        let before = Turns::read();
        let (ns, value) = self.time(work);
        let after = Turns::read();
        let ns = ns - (after.waited - before.waited);
        (if after.turns == before.turns || ns > LONG { ns } else { f64::NAN }, value)
    }

    /// Nanoseconds of `work`, and what it returned, which is dropped by the caller.
    #[inline(always)]
    pub fn time<T>(&self, work: impl FnOnce() -> T) -> (f64, T) {
        let (ns, value) = nanoseconds(work);
        ((ns - self.overhead).max(0.0), value)
    }
}

#[inline(always)]
#[allow(clippy::disallowed_methods, reason = "a benchmark measures wall time")]
fn nanoseconds<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let value = black_box(work());
    (start.elapsed().as_nanos() as f64, value)
}

/// A point in time after which a run is given up.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Instant);

#[allow(clippy::disallowed_methods, reason = "a benchmark gives up by wall time")]
impl Deadline {
    pub fn after(seconds: u64) -> Deadline {
        Deadline(Instant::now() + Duration::from_secs(seconds))
    }

    pub fn passed(&self) -> bool {
        Instant::now() > self.0
    }
}

/// A point in time that is counted from.
#[derive(Clone, Copy, Debug)]
pub struct Start(Instant);

#[allow(clippy::disallowed_methods, reason = "a benchmark measures wall time")]
impl Start {
    pub fn now() -> Start {
        Start(Instant::now())
    }

    pub fn seconds(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }

    pub fn nanoseconds(&self) -> f64 {
        self.0.elapsed().as_nanos() as f64
    }
}

/// The scheduler's account of this thread.
#[derive(Clone, Copy, Debug)]
struct Turns {
    /// Nanoseconds that it waited for a core.
    waited: f64,
    /// How often it was given one.
    turns: f64,
}

impl Turns {
    /// Zeros where the system keeps no such account.
    fn read() -> Turns {
        let account = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
        let mut figures = account.split_whitespace().skip(1).map(|figure| figure.parse().unwrap_or(0.0));
        Turns { waited: figures.next().unwrap_or(0.0), turns: figures.next().unwrap_or(0.0) }
    }
}

/// CPU seconds of this process so far: the scheduler's own account, to about a millisecond.
pub fn cpu_seconds() -> f64 {
    let account = fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let running = account.split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok());
    running.map_or(f64::NAN, |ns| ns / 1e9)
}

/// CPU seconds of the threads that there are, by their names.
pub fn cpu_by_thread() -> BTreeMap<String, f64> {
    let mut sums = BTreeMap::new();
    for task in fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
        let file = |name: &str| fs::read_to_string(task.path().join(name)).unwrap_or_default();
        let running = file("schedstat").split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok());
        *sums.entry(file("comm").trim().to_owned()).or_default() += running.unwrap_or(0.0) / 1e9;
    }
    sums
}
