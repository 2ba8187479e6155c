//! Commands, one file for each kind: checked, turned into events, followed by a pass.

mod at_once;
mod lifecycle;
mod making_room;
mod nodes;
mod quotas;
mod scaling;
mod submit;
mod timers;

use crate::command::Command;
use crate::ids::{QuotaId, WorkloadId};
use crate::refusal::Refusal;
use crate::session::Session;
use crate::state::State;
use crate::workload::{MAX_NAME, Workload};

impl Session<'_> {
    pub(crate) fn carry_out(&mut self, command: Command) -> Result<(), Refusal> {
        match command {
            Command::Submit(spec) => self.submit(spec),
            other => self.carry_out_other(other),
        }
    }

    #[inline(never)]
    fn carry_out_other(&mut self, command: Command) -> Result<(), Refusal> {
        match command {
            Command::CreatePool { name, kind } => self.create_pool(&name, kind),
            Command::AddNode { pool, model, spec } => self.add_node(pool, model.as_deref(), spec),
            Command::RemoveNode { pool, node } => self.remove_node(pool, node),
            Command::SetNode { pool, node, state, reason } => self.set_node(pool, node, state, &reason),
            Command::SetDevice { pool, node, device, out, reason } => {
                self.set_device(pool, node, device, out, &reason)
            }
            Command::DrainNode { pool, node, modules } => self.drain_node(pool, node, modules),
            Command::CreateQuota(spec) => self.create_quota(*spec),
            Command::SetPolicy { quota, change } => self.set_policy(quota, &change),
            Command::Scale { quota, guarantee, mode } => self.scale(quota, guarantee, mode),
            Command::Transfer { from, to, amount, mode } => self.transfer(from, to, amount, mode),
            Command::DeleteQuota { quota } => self.delete_quota(quota),
            Command::SetCaps { workspace, quota, caps } => self.set_caps(workspace, quota, caps),
            Command::Submit(spec) => return self.submit(spec),
            Command::Stop { workload } => self.stop(workload),
            Command::Restart { workload } => self.restart(workload),
            Command::SetPriority { workload, priority } => self.set_priority(workload, priority),
            Command::Resize { workload, replicas } => self.resize(workload, replicas),
            Command::Forget { workload } => self.forget(workload),
            Command::Finished { workload } => self.finished(workload),
            Command::Failed { workload } => self.failed(workload),
            Command::Released { units } => self.released(&units),
            Command::Checkpointed { workload, saved_at } => self.checkpointed(workload, saved_at),
            Command::Wake => self.wake_timers(),
        }?;
        self.settle();
        Ok(())
    }
}

impl State {
    fn known_quota(&self, id: QuotaId) -> Result<&crate::quota_tree::Quota, Refusal> {
        match self.tree.get(id) {
            Some(quota) => Ok(quota),
            None => refuse(|| Refusal::UnknownQuota { quota: format!("#{}", id.0) }),
        }
    }

    fn known_workload(&self, id: WorkloadId) -> Result<&Workload, Refusal> {
        self.workload(id).ok_or_else(|| Refusal::UnknownWorkload { workload: format!("#{}", id.0) })
    }

    /// A workload that a command for live ones may touch.
    fn live_workload(&self, id: WorkloadId, command: &'static str) -> Result<&Workload, Refusal> {
        let w = self.known_workload(id)?;
        if w.state.is_ended() {
            return Err(wrong_state(w, command, "not ended"));
        }
        Ok(w)
    }
}

/// A refusal is made away from the way of a command that is not refused.
#[cold]
fn refuse<T>(why: impl FnOnce() -> Refusal) -> Result<T, Refusal> {
    Err(why())
}

fn wrong_state(w: &Workload, command: &'static str, allowed: &'static str) -> Refusal {
    Refusal::WrongState { workload: w.spec.name.to_string(), state: w.state.word(), command, allowed }
}

/// 1 to 63 of letters, digits, `-`, `_`, `.`, starting with a letter or digit.
pub(crate) fn check_name(name: &str) -> Result<(), Refusal> {
    let fine = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    let first = name.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric());
    if first && name.len() <= MAX_NAME && name.bytes().all(fine) { Ok(()) } else { bad_name(name) }
}

#[cold]
fn bad_name(name: &str) -> Result<(), Refusal> {
    let refuse = |why| Err(Refusal::BadName { name: name.chars().take(MAX_NAME + 1).collect(), why });
    let Some(first) = name.chars().next() else { return refuse("it is empty") };
    if name.chars().count() > MAX_NAME {
        return refuse("it is longer than 63 characters");
    }
    if !first.is_ascii_alphanumeric() {
        return refuse("it does not start with a letter or digit");
    }
    refuse("it has other characters than letters, digits, '-', '_' and '.'")
}
