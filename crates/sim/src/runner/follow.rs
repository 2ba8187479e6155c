//! What events mean for work in progress: what starts has an end, who is asked to stop will be gone.

use super::work::Progress;
use super::{Kind, Runner};
use tidegate_engine::event::{Event, EventKind, StartKind};
use tidegate_engine::ids::{Tick, WorkloadId};
use tidegate_engine::workload::Exit;

impl Runner {
    /// What an event means for work in progress.
    pub(super) fn follow(&mut self, event: &Event) {
        let now = event.at;
        match &event.kind {
            EventKind::Queued { workload, spec, .. } => {
                let work = self.submitted.take().unwrap_or_default();
                let progress = Progress::new(work, spec.grace, spec.suspend, spec.is_service());
                self.put(*workload, progress);
            }
            EventKind::Started { workload, kind, .. } => self.change(*workload, |p| {
                // Growing restarts a training job, and is nothing to a service.
                if !(p.service && *kind == StartKind::Grown) {
                    if p.suspend {
                        p.save(now);
                    }
                    p.start(now);
                }
            }),
            EventKind::Evicted { workload, units, exit, replicas, .. } => {
                self.change(*workload, |p| {
                    if p.suspend {
                        p.save(now);
                    }
                    if *replicas == 0 {
                        p.halt();
                    } else if !p.service && *exit == Exit::Shrink {
                        p.start(now);
                    }
                });
                self.will_leave(*workload, units, now);
            }
            EventKind::Released { workload, units, .. } => self.change(*workload, |p| p.gone(units)),
            EventKind::Lost { workload, units, replicas, .. } => self.change(*workload, |p| {
                p.gone(units);
                if *replicas == 0 {
                    p.halt();
                } else if !p.service {
                    p.start(now);
                }
            }),
            EventKind::Checkpointed { workload, saved_at } => self.change(*workload, |p| match p.saves {
                Some(at) if at == now => p.saved_on_time(now),
                _ => p.save(*saved_at),
            }),
            EventKind::Failed { workload, .. }
            | EventKind::Finished { workload }
            | EventKind::Stopped { workload, .. } => self.change(*workload, Progress::halt),
            _ => {}
        }
    }

    pub(super) fn put(&mut self, workload: WorkloadId, progress: Progress) {
        if self.progress.len() <= workload.index() {
            self.progress.resize_with(workload.index() + 1, || None);
        }
        self.progress[workload.index()] = Some(Box::new(progress));
    }

    /// Schedules all that is known to come for a workload.
    pub(super) fn schedule_all(&mut self, workload: WorkloadId) {
        let Some(Some(progress)) = self.progress.get(workload.index()) else { return };
        let (ends, leaving) = (progress.ends, progress.leaving.clone());
        let saves = progress.saves.filter(|at| ends.is_none_or(|end| *at < end));
        saves.into_iter().for_each(|at| self.schedule(at, workload, Kind::Save));
        ends.into_iter().for_each(|at| self.schedule(at, workload, Kind::End));
        leaving.into_iter().for_each(|(unit, at)| self.schedule(at, workload, Kind::Release { unit }));
    }

    /// Changes a workload's progress and schedules what follows from it.
    fn change(&mut self, workload: WorkloadId, change: impl FnOnce(&mut Progress)) {
        let Some(Some(progress)) = self.progress.get_mut(workload.index()) else { return };
        let before = (progress.ends, progress.saves);
        change(progress);
        let (ends, saves) = (progress.ends, progress.saves);
        // A save at or after the end would report on a workload that is gone.
        let saves = saves.filter(|at| ends.is_none_or(|end| *at < end));
        if let Some(at) = saves.filter(|_| before.1 != saves) {
            self.schedule(at, workload, Kind::Save);
        }
        if let Some(at) = ends.filter(|_| before.0 != ends) {
            self.schedule(at, workload, Kind::End);
        }
    }

    fn will_leave(&mut self, workload: WorkloadId, units: &[u32], now: Tick) {
        let Some(Some(progress)) = self.progress.get_mut(workload.index()) else { return };
        if progress.work.hang {
            return;
        }
        let at = now.after(progress.grace);
        progress.leaving.extend(units.iter().map(|unit| (*unit, at)));
        for unit in units {
            self.schedule(at, workload, Kind::Release { unit: *unit });
        }
    }
}
