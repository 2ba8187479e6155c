//! What people are shown of what can be reached.

use super::directory::can_be_reached;
use super::{Apps, answer, directory};
use crate::view;
use tidegate_api::problem::{Code, Problem};
use tidegate_api::time::Time;
use tidegate_api::uid;
use tidegate_api::workload::{ReadinessStatus, Workload, WorkloadState};
use tidegate_engine::ids::WorkloadId;

impl Apps {
    /// Adds to a workload where it is reached, and which of its replicas are ready.
    pub fn show(&self, workload: &mut Workload) {
        let status = &mut workload.status;
        if !can_be_reached(status.module.0) || status.state.is_ended() {
            return;
        }
        status.url =
            Some(format!("{}/{}/", self.base, directory::key(&status.workspace, &workload.metadata.name)));
        let Some(site) = uid::as_workload(&workload.metadata.uid).and_then(|id| self.directory.of(id)) else {
            return;
        };
        let mut ready = 0;
        for replica in site.replicas() {
            let here = |p: &&mut tidegate_api::workload::Placement| {
                (p.unit, p.replica) == (replica.unit, replica.index)
            };
            let Some(placement) = status.placements.iter_mut().find(here) else { continue };
            let state = replica.state();
            let takes = replica.takes_requests();
            ready += u32::from(takes);
            let reason = if replica.leaves() { "it was asked to stop" } else { &*state.why };
            placement.readiness = Some(ReadinessStatus {
                ready: takes,
                since: Time::of(state.since),
                reason: (!takes).then(|| reason.to_string()),
            });
        }
        status.replicas.ready = Some(ready);
    }

    /// Why a workload that its caller may use cannot be reached now.
    pub(super) async fn why_absent(&self, id: WorkloadId) -> Problem {
        let seen = self.control.read(|world, now| view::workload(world, id, now)).await;
        let Ok(Some(workload)) = seen else { return answer::nowhere() };
        let (name, status) = (&workload.metadata.name, &workload.status);
        let word = status.state.word();
        if status.state.is_ended() {
            return Problem::new(Code::NotFound, format!("{name} is {word}"))
                .hint(format!("`tidegate start {name}` starts it again"));
        }
        let detail = match (status.state, status.reasons.first()) {
            (WorkloadState::Running, _) => format!("{name} is starting"),
            (_, Some(reason)) => format!("{name} is {word}: {}", reason.text),
            (_, None) => format!("{name} is {word}"),
        };
        Problem::new(Code::NoneReady, detail)
    }
}
