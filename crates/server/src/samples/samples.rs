//! Blocks that are being filled, and series over all that is known.

use super::block::{Block, place};
use super::file::{BlockFile, Stored};
use super::measure::{Figures, Kind, Subject};
use super::{BLOCK, INTERVAL, SLOTS};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use tidegate_api::name::Name;
use tidegate_api::problem::Problem;
use tidegate_api::series::{Metric, Series, SeriesQuery};
use tidegate_api::uid;
use tidegate_engine::ids::{Span, Tick, WorkloadId};
use tidegate_engine::resources::WHOLE;

/// The file in the data directory.
const FILE: &str = "samples.db";

#[derive(Debug)]
pub struct Samples(Mutex<Inner>);

#[derive(Debug)]
struct Inner {
    file: BlockFile,
    /// Start of the block that is being filled.
    start: u64,
    filling: BTreeMap<Subject, Block>,
}

/// A figure that held from an instant on.
struct Sample {
    at: u64,
    /// How long it is taken to have held.
    span: u64,
    value: f64,
}

impl Samples {
    /// Opens the file in a data directory. Without it figures are kept while the server runs.
    pub fn open(data: &Path) -> Samples {
        let path = data.join(FILE);
        Samples::on(BlockFile::open(&path).unwrap_or_else(|error| {
            tracing::warn!(%error, file = %path.display(), "figures over time will be lost with the next stop");
            BlockFile::in_memory().expect("memory is there")
        }))
    }

    fn on(file: BlockFile) -> Samples {
        Samples(Mutex::new(Inner { file, start: 0, filling: BTreeMap::new() }))
    }

    fn inner(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.0.lock().expect("nobody panics while holding figures")
    }

    /// Takes down figures of now.
    pub(super) fn take(&self, figures: Vec<(Subject, Figures)>, now: Tick) {
        let mut inner = self.inner();
        let (start, slot) = place(now);
        if start != inner.start {
            inner.flush(now);
            inner.filling.clear();
            inner.start = start;
        }
        for (subject, figures) in figures {
            if !inner.filling.contains_key(&subject) {
                // A block that was begun before the last start of the server is gone on with.
                let begun = inner.file.get(&subject, start).ok().flatten();
                inner.filling.insert(subject.clone(), begun.unwrap_or_default());
            }
            if let Some(block) = inner.filling.get_mut(&subject) {
                block.set(slot, figures);
            }
        }
    }

    /// Writes down what is being filled.
    pub fn flush(&self, now: Tick) {
        self.inner().flush(now);
    }

    /// What a workload did from `now - span` on. Reads memory, and of what is older than ten minutes the file.
    pub fn lately(&self, workload: WorkloadId, now: Tick, span: Span) -> Lately {
        let from = now.0.saturating_sub(span.0);
        let subject = Subject::new(Kind::Workload, &uid::workload(workload));
        let samples = self.inner().samples(&subject, from, now.0);
        let known = |word: &str| {
            let metric = Kind::Workload.metrics().iter().position(|(metric, _)| *metric == word);
            let all = metric.and_then(|metric| samples.get(metric)).map_or(&[][..], Vec::as_slice);
            all.iter().filter(move |sample| sample.at >= from).map(|sample| sample.value)
        };
        Lately {
            looks: known("cpu").count(),
            cpu: known("cpu").reduce(f64::max),
            gpu_duty: known("gpuDuty").reduce(f64::max),
        }
    }

    /// The figures of a subject at regular instants: the mean over each step, or what held at its beginning.
    pub fn series(&self, subject: &Subject, name: Name, query: &SeriesQuery) -> Result<Series, Problem> {
        let points = query.points()? as usize;
        let (from, step) = (query.from.tick().0, query.step.span().0);
        let samples = self.inner().samples(subject, from, from + points as u64 * step);
        let metric = |(index, (word, unit)): (usize, &(&str, &str))| {
            let values = spread(samples.get(index).map_or(&[], Vec::as_slice), from, step, points);
            (word.to_string(), Metric { unit: unit.to_string(), values })
        };
        let metrics = subject.kind.metrics().iter().enumerate().map(metric).collect();
        Ok(Series { name, from: query.from, to: query.to, step: query.step, metrics })
    }
}

/// What a workload did lately, for whoever asks whether it does anything.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lately {
    /// Looks at which its cores were known: one every [`INTERVAL`] if it was there all the time.
    pub looks: usize,
    /// The most cores that it used at one look.
    pub cpu: Option<f64>,
    /// The highest duty of its GPUs at one look, from 0 to 1; `None` if that was never known.
    pub gpu_duty: Option<f64>,
}

impl Inner {
    fn flush(&mut self, now: Tick) {
        if self.filling.is_empty() {
            return;
        }
        if let Err(error) = self.file.put(self.start, self.filling.iter(), now) {
            tracing::warn!(%error, "ten minutes of figures over time are lost");
        }
    }

    /// What is known of each figure from `from` up to `to`, oldest first.
    fn samples(&self, subject: &Subject, from: u64, to: u64) -> Vec<Vec<Sample>> {
        let metrics = subject.kind.metrics().len();
        let mut all: Vec<Vec<Sample>> = (0..metrics).map(|_| Vec::new()).collect();
        let (first, _) = place(Tick(from));
        let stored = self.file.between(subject, first, to).unwrap_or_else(|error| {
            tracing::warn!(%error, "figures over time cannot be read");
            Vec::new()
        });
        let filling = self.filling.get(subject);
        for (start, stored) in
            stored.into_iter().filter(|(start, _)| filling.is_none() || *start != self.start)
        {
            match stored {
                Stored::Fine(block) => add(&mut all, start, &block),
                Stored::Means(means) => {
                    for (list, value) in all.iter_mut().zip(means) {
                        list.extend(value.map(|value| Sample {
                            at: start,
                            span: BLOCK.0,
                            value: whole(value),
                        }));
                    }
                }
            }
        }
        if let Some(block) = filling {
            add(&mut all, self.start, block);
        }
        all
    }
}

fn whole(thousandths: i64) -> f64 {
    thousandths as f64 / f64::from(WHOLE)
}

fn add(all: &mut [Vec<Sample>], start: u64, block: &Block) {
    for (metric, list) in all.iter_mut().enumerate() {
        for (slot, value) in block.values(metric).enumerate().take(SLOTS) {
            let at = start + slot as u64 * INTERVAL.0;
            list.extend(value.map(|value| Sample { at, span: INTERVAL.0, value: whole(value) }));
        }
    }
}

/// Samples, oldest first, onto regular instants.
fn spread(samples: &[Sample], from: u64, step: u64, points: usize) -> Vec<Option<f64>> {
    let point = |index: usize| {
        let at = from + index as u64 * step;
        let first = samples.partition_point(|sample| sample.at < at);
        let within = &samples[first..];
        let within = &within[..within.partition_point(|sample| sample.at < at + step)];
        if within.is_empty() {
            let before = samples[..first].last().filter(|sample| at < sample.at + sample.span);
            return before.map(|sample| sample.value);
        }
        Some(within.iter().map(|sample| sample.value).sum::<f64>() / within.len() as f64)
    };
    (0..points).map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::super::FINE;
    use super::*;
    use tidegate_api::time::Time;

    fn query(from: u64, to: u64, step: u64) -> SeriesQuery {
        let time = |ms| Time::of(Tick(ms));
        SeriesQuery { from: time(from), to: time(to), step: tidegate_api::duration::Duration::of(Span(step)) }
    }

    fn used(samples: &Samples, from: u64, to: u64, step: u64) -> Vec<Option<f64>> {
        let node = Subject::new(Kind::Node, "n");
        let name = "n".parse().expect("a name");
        let series = samples.series(&node, name, &query(from, to, step)).expect("a series");
        series.metrics["used"].values.clone()
    }

    fn look(samples: &Samples, at: u64, gpus: i64) {
        samples.take(vec![(Subject::new(Kind::Node, "n"), vec![Some(gpus * 1_000)])], Tick(at));
    }

    #[test]
    fn a_series_has_means_gaps_and_what_held() {
        let samples = Samples::on(BlockFile::in_memory().expect("a file"));
        let t = 1_000 * BLOCK.0;
        for (second, gpus) in [(0, 8), (10, 4), (20, 0), (60, 2)] {
            look(&samples, t + second * 1_000, gpus);
        }
        assert_eq!(used(&samples, t, t + 30_000, 10_000), [Some(8.0), Some(4.0), Some(0.0), None]);
        assert_eq!(used(&samples, t, t + 60_000, 30_000), [Some(4.0), None, Some(2.0)]);
        assert_eq!(
            used(&samples, t + 5_000, t + 20_000, 5_000),
            [Some(8.0), Some(4.0), Some(4.0), Some(0.0)]
        );
        assert_eq!(used(&samples, t - 20_000, t, 10_000), [None, None, Some(8.0)]);
        let nobody = Subject::new(Kind::Quota, "q");
        let series =
            samples.series(&nobody, "q".parse().expect("a name"), &query(t, t, 1_000)).expect("a series");
        assert_eq!(series.metrics.len(), 6);
        assert!(series.metrics.values().all(|metric| metric.values == [None]));
    }

    #[test]
    fn blocks_are_kept_and_a_restart_goes_on_with_the_last() {
        let data = tempfile::tempdir().expect("a directory");
        let t = 1_000 * BLOCK.0;
        let samples = Samples::open(data.path());
        look(&samples, t, 8);
        look(&samples, t + BLOCK.0, 6);
        samples.flush(Tick(t + BLOCK.0));
        drop(samples);
        let samples = Samples::open(data.path());
        look(&samples, t + BLOCK.0 + INTERVAL.0, 2);
        let step = INTERVAL.0;
        assert_eq!(used(&samples, t + BLOCK.0, t + BLOCK.0 + step, step), [Some(6.0), Some(2.0)]);
        assert_eq!(used(&samples, t, t, BLOCK.0), [Some(8.0)]);
        // Past a week there are means, which hold for ten minutes.
        look(&samples, t + FINE.0 + 4 * BLOCK.0, 1);
        samples.flush(Tick(t + FINE.0 + 4 * BLOCK.0));
        assert_eq!(used(&samples, t + BLOCK.0, t + BLOCK.0 + step, step), [Some(4.0), Some(4.0)]);
    }

    #[test]
    fn what_a_workload_did_lately_is_the_most_that_was_seen() {
        let data = tempfile::tempdir().expect("a directory");
        let samples = Samples::open(data.path());
        let t = 1_000 * BLOCK.0;
        let did = |at: u64, cpu: Option<i64>, duty: Option<i64>| {
            let figures = vec![Some(1_000), Some(0), cpu, Some(5), duty, None];
            samples.take(vec![(Subject::new(Kind::Workload, "w-7"), figures)], Tick(at));
        };
        let lately = |samples: &Samples, now: u64, minutes| {
            samples.lately(WorkloadId(7), Tick(now), Span::minutes(minutes))
        };
        assert_eq!(lately(&samples, t, 10), Lately::default());
        for look in 0..120 {
            // It works in its first minute, and once in its last but one; its GPU is never known to.
            let cpu = if look < 6 || look == 110 { 1_500 } else { 20 };
            did(t + look * INTERVAL.0, (look != 3).then_some(cpu), None);
        }
        let now = t + 2 * BLOCK.0 - INTERVAL.0;
        let idle = Lately { looks: 7, cpu: Some(0.02), gpu_duty: None };
        assert_eq!(lately(&samples, now, 1), idle);
        assert_eq!(lately(&samples, now, 20), Lately { looks: 119, cpu: Some(1.5), gpu_duty: None });
        did(now, Some(20), Some(300));
        assert_eq!(lately(&samples, now, 1).gpu_duty, Some(0.3));
        assert_eq!(samples.lately(WorkloadId(8), Tick(now), Span::minutes(1)), Lately::default());
    }

    #[test]
    fn a_file_that_is_none_costs_no_more_than_the_past() {
        let data = tempfile::tempdir().expect("a directory");
        std::fs::write(data.path().join(FILE), "this is not a database, and longer than a header would be")
            .expect("a file");
        let samples = Samples::open(data.path());
        look(&samples, BLOCK.0, 3);
        assert_eq!(used(&samples, BLOCK.0, BLOCK.0, 10_000), [Some(3.0)]);
        let kept = std::fs::read(data.path().join(FILE)).expect("a file");
        assert!(kept.starts_with(b"this is not"));
    }
}
