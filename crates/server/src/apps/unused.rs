//! Notebooks that nobody uses are stopped, and whoever was let into what has ended is sent away.

use super::Apps;
use super::site::Site;
use crate::core::entry::{Fact, Origin};
use std::sync::Arc;
use tidegate_api::duration::Duration;
use tidegate_engine::Command;
use tidegate_engine::ids::Span;
use tidegate_engine::workload::WorkloadState;

/// How often it is looked who uses what.
const LOOK: std::time::Duration = std::time::Duration::from_secs(1);

impl Apps {
    /// Looks who uses what, for ever.
    pub async fn look_after(&self) {
        loop {
            tokio::time::sleep(LOOK).await;
            self.end_sessions();
            for (site, unused) in self.unused() {
                self.stop(&site, unused).await;
            }
        }
    }

    fn end_sessions(&self) {
        let known = self.sessions.read().expect("nobody panics here").workloads();
        let ended = self.control.read_blocking(|world| {
            let lives = |id| world.engine.workload(id).is_some_and(|w| !w.state.is_ended());
            known.into_iter().filter(|id| !lives(*id)).collect::<Vec<_>>()
        });
        if !ended.is_empty() {
            let mut sessions = self.sessions.write().expect("nobody panics here");
            ended.into_iter().for_each(|id| sessions.end(id));
        }
    }

    /// Who was left alone for too long.
    fn unused(&self) -> Vec<(Arc<Site>, Span)> {
        let now = self.now();
        let unused = |site: &Arc<Site>| {
            let most = site.about.idle_timeout?;
            let unused = site.unused_for(now);
            (unused >= most).then(|| (site.clone(), unused))
        };
        self.directory.all().iter().filter_map(unused).collect()
    }

    async fn stop(&self, site: &Site, unused: Span) {
        let (id, name) = (site.about.id, &site.about.name);
        let stopped = self.control.write(Origin::new("system", "workload.unused"), move |deck| {
            let runs = deck.world().engine.workload(id).is_some_and(|w| w.state == WorkloadState::Running);
            let why = format!(
                "stopped by the system (workload.unused): nobody used it for {}",
                Duration::of(Span(unused.0 / 1_000 * 1_000))
            );
            runs.then(|| {
                deck.note(Fact::Stopped { workload: id, why: why.into() });
                deck.command(Command::Stop { workload: id }).map(|_| ())
            })
        });
        match stopped.await {
            Ok(Some(Ok(_))) => tracing::info!(%name, seconds = unused.0 / 1_000, "stopped: nobody used it"),
            Ok(Some(Err(refusal))) => tracing::warn!(%name, what = refusal.what(), "not stopped"),
            // The next look tries again.
            Ok(None) | Err(_) => {}
        }
    }
}
