//! The thread that measures what replicas take, apart from the one that starts and ends them.

use super::disk::Walk;
use super::meters::{GpuLook, GpuMeter};
use super::seen::Replicas;
use super::usage::{Moment, Usage};
use crate::executor::Waker;
use crate::size::in_words;
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tidegate_engine::ids::WorkloadId;

/// Time between two looks.
const EVERY: Duration = Duration::from_secs(5);
/// Entries of directories that one look may cost: some ten milliseconds.
const ENTRIES: u32 = 20_000;

/// A workload that has to go, and why.
pub(super) type Verdict = (WorkloadId, String);

/// Measures until it is dropped.
#[derive(Debug)]
pub(super) struct Measuring {
    verdicts: Receiver<Verdict>,
    waker: SharedWaker,
    _stop: Sender<()>,
}

type SharedWaker = Arc<WakerCell>;

#[derive(Default)]
struct WakerCell(Mutex<Option<Waker>>);

impl std::fmt::Debug for WakerCell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("WakerCell")
    }
}

impl Measuring {
    /// `work_limit`: what the directories of one workload may take.
    pub(super) fn start(
        replicas: Replicas,
        meter: Option<Arc<dyn GpuMeter>>,
        work_limit: Option<u64>,
    ) -> std::io::Result<Measuring> {
        let (stop, stopped) = channel();
        let (tell, verdicts) = channel();
        let waker = SharedWaker::default();
        let mut look =
            Look { replicas, meter, work_limit, tell, waker: waker.clone(), walk: None, last: None };
        let thread = std::thread::Builder::new().name("measuring".into());
        thread.spawn(move || {
            while stopped.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                look.at_processes();
                look.at_directories();
            }
        })?;
        Ok(Measuring { verdicts, waker, _stop: stop })
    }

    pub(super) fn set_waker(&self, waker: Waker) {
        *self.waker.0.lock().expect("nobody panics while waking") = Some(waker);
    }

    /// What was found since the last call.
    pub(super) fn verdicts(&self) -> Vec<Verdict> {
        self.verdicts.try_iter().collect()
    }
}

struct Look {
    replicas: Replicas,
    meter: Option<Arc<dyn GpuMeter>>,
    work_limit: Option<u64>,
    tell: Sender<Verdict>,
    waker: SharedWaker,
    walk: Option<(WorkloadId, Walk)>,
    /// Whose directories were measured last: all have their turn.
    last: Option<WorkloadId>,
}

impl Look {
    fn at_processes(&self) {
        let all = self.replicas.all();
        if all.is_empty() {
            return;
        }
        let moment = Moment::now();
        let usages: Vec<_> = all.iter().map(|(_, seen)| moment.usage(&seen.source, seen.memory)).collect();
        let gpus = self.meter.as_ref().map(|meter| {
            let each = all.iter().zip(&usages);
            GpuLook::at(&**meter, each.map(|((_, seen), usage)| (seen, processes(usage))))
        });
        for ((at, seen), mut usage) in all.into_iter().zip(usages) {
            let taken = gpus.as_ref().and_then(|gpus| gpus.of(&seen, processes(&usage)));
            if let Some(usage) = &mut usage {
                usage.gpu = taken;
            }
            let takes = usage.as_ref().map_or(0, |usage| usage.memory);
            let come = self.replicas.take_down(at, seen.run, usage);
            let (workload, unit, index) = (at.0.0, at.1, at.2);
            if come.over_memory {
                let (takes, asked) = (in_words(takes), in_words(seen.memory));
                tracing::warn!(
                    workload,
                    unit,
                    index,
                    takes,
                    asked,
                    "a replica takes more memory than it asked for"
                );
            }
            if let Some(gpu) = come.over_gpu {
                let takes = gpu.memory.map_or("unknown".into(), in_words);
                let (own, duty, part) = (in_words(gpu.granted_memory), gpu.duty, gpu.part);
                tracing::warn!(
                    workload,
                    unit,
                    index,
                    takes,
                    own,
                    duty,
                    part,
                    "a replica uses more than its part of a GPU"
                );
            }
        }
    }

    fn at_directories(&mut self) {
        let Some(limit) = self.work_limit else { return };
        let mut budget = ENTRIES;
        while budget > 0 {
            let (workload, mut walk) = match self.walk.take().or_else(|| self.next()) {
                Some(walk) => walk,
                None => return,
            };
            let Some(bytes) = walk.go_on(&mut budget) else {
                self.walk = Some((workload, walk));
                return;
            };
            let is_round = self.last.is_some_and(|last| workload <= last);
            self.last = Some(workload);
            if bytes > limit {
                let (takes, limit) = (in_words(bytes), in_words(limit));
                let why = format!("its directories take {takes}, and may take {limit}");
                let _ = self.tell.send((workload, why));
                if let Some(waker) = &*self.waker.0.lock().expect("nobody panics while waking") {
                    waker();
                }
            }
            if is_round {
                return;
            }
        }
    }

    /// The next workload after the last one, round and round.
    fn next(&self) -> Option<(WorkloadId, Walk)> {
        let all = self.replicas.all().into_iter();
        let mut by_workload: BTreeMap<WorkloadId, _> =
            all.map(|((workload, ..), seen)| (workload, seen.source.directories)).collect();
        let after = by_workload.keys().copied().find(|id| self.last.is_none_or(|last| *id > last));
        let workload = after.or_else(|| by_workload.keys().next().copied())?;
        Some((workload, Walk::through(by_workload.remove(&workload)?)))
    }
}

fn processes(usage: &Option<Usage>) -> &[i32] {
    usage.as_ref().map_or(&[], |usage| &usage.processes)
}
