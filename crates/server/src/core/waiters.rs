//! Those who wait for one workload. Watchers of everything are woken once in a while, all together; who waits for the
//! end of a task is woken at once, and only by what happens to it.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};
use tidegate_engine::ids::WorkloadId;
use tokio::sync::watch;

#[derive(Debug, Default)]
pub struct Waiters {
    by_workload: Mutex<BTreeMap<WorkloadId, watch::Sender<()>>>,
}

/// Somebody who waits.
#[derive(Debug)]
pub struct Waiting<'a> {
    waiters: &'a Waiters,
    workload: WorkloadId,
    news: Option<watch::Receiver<()>>,
}

impl Waiters {
    /// From now on whatever happens to it is news.
    pub fn wait_for(&self, workload: WorkloadId) -> Waiting<'_> {
        let news = self.all().entry(workload).or_insert_with(|| watch::Sender::new(())).subscribe();
        Waiting { waiters: self, workload, news: Some(news) }
    }

    /// Something has happened to these.
    pub(super) fn wake(&self, workloads: impl Iterator<Item = WorkloadId>) {
        let all = self.all();
        if !all.is_empty() {
            workloads
                .filter_map(|workload| all.get(&workload))
                .for_each(|sender| sender.send_modify(|()| ()));
        }
    }

    pub(super) fn wake_all(&self) {
        self.all().values().for_each(|sender| sender.send_modify(|()| ()));
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<WorkloadId, watch::Sender<()>>> {
        self.by_workload.lock().expect("nobody panics while waking others")
    }
}

impl Waiting<'_> {
    /// Until something has happened since the last time.
    pub async fn news(&mut self) {
        if let Some(news) = &mut self.news {
            // The sender stays as long as anybody waits.
            let _ = news.changed().await;
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut all = self.waiters.all();
        self.news = None;
        if all.get(&self.workload).is_some_and(|sender| sender.receiver_count() == 0) {
            all.remove(&self.workload);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_waits_is_woken_by_its_own_and_leaves_nothing() {
        let waiters = Waiters::default();
        let (mut one, two) = (waiters.wait_for(WorkloadId(1)), waiters.wait_for(WorkloadId(1)));
        waiters.wake([WorkloadId(2)].into_iter());
        let woken = one.news.as_ref().expect("it waits").has_changed().expect("a sender");
        assert!(!woken, "that was another's");
        waiters.wake([WorkloadId(2), WorkloadId(1)].into_iter());
        // What happened before it is asked for is not missed.
        one.news().await;
        drop(one);
        assert_eq!(waiters.all().len(), 1);
        drop(two);
        assert_eq!(waiters.all().len(), 0);
    }
}
