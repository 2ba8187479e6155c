//! The machine's memory: how long a dependent load takes, how to empty the caches, how much is in use.

use crate::clock::Stopwatch;
use crate::random::Random;
use crate::samples::Samples;
use std::fs;
use std::hint::black_box;

/// Bytes that the pointer chase covers.
const CHASED: usize = 256 << 20;
/// Bytes between two places of the chase: one line of a cache.
const LINE: usize = 64;
/// Loads that are timed together: short enough to be left alone by the system most of the time.
const LOADS: usize = 2_000;
/// How often; the median counts.
const TIMES: usize = 1_001;
/// Size of the last-level cache where the system does not say.
const UNKNOWN_CACHE: usize = 64 << 20;

#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Place {
    next: u32,
}

/// Nanoseconds of one load whose address the load before it yields: a random cycle over 256 MiB.
pub fn dependent_load(watch: &Stopwatch) -> f64 {
    let places = CHASED / LINE;
    let mut order: Vec<u32> = (0..places as u32).collect();
    Random(7).shuffle(&mut order);
    let mut chain = vec![Place { next: 0 }; places];
    for i in 0..places {
        chain[order[i] as usize].next = order[(i + 1) % places];
    }
    drop(order);
    let mut at = 0;
    let mut samples = Samples::default();
    for _ in 0..TIMES {
        let (ns, end) = watch.time_alone(|| (0..LOADS).fold(at, |at: u32, _| chain[at as usize].next));
        at = black_box(end);
        samples.push(ns / LOADS as f64);
    }
    samples.p50()
}

/// Pushes everything else out of the caches.
#[derive(Debug)]
pub struct Chill {
    buffer: Vec<u64>,
}

impl Default for Chill {
    fn default() -> Self {
        Chill::new()
    }
}

impl Chill {
    /// Twice the last-level cache, so that no replacement policy keeps much of what was there.
    pub fn new() -> Chill {
        Chill { buffer: vec![1; 2 * last_level_cache() / 8] }
    }

    pub fn bytes(&self) -> usize {
        self.buffer.len() * 8
    }

    /// Writes the buffer, then reads it.
    pub fn chill(&mut self) {
        for word in &mut self.buffer {
            *word = word.wrapping_mul(3);
        }
        black_box(self.buffer.iter().fold(0u64, |sum, word| sum.wrapping_add(*word)));
    }
}

fn last_level_cache() -> usize {
    let size = |index: u32| {
        let text =
            fs::read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{index}/size")).ok()?;
        let text = text.trim();
        let (digits, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit())?);
        let scale = match unit {
            "K" => 10,
            "M" => 20,
            _ => return None,
        };
        Some(digits.parse::<usize>().ok()? << scale)
    };
    (0..8).filter_map(size).max().unwrap_or(UNKNOWN_CACHE)
}

/// Bytes of this process that are in memory.
pub fn resident() -> f64 {
    let pages = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let resident = pages.split_whitespace().nth(1).and_then(|n| n.parse::<f64>().ok());
    resident.map_or(f64::NAN, |n| n * 4096.0)
}
