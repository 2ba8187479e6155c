//! Declared overdrafts, and the gains that wait for them.

use crate::checker::Checker;
use crate::quotas::{Overdraft, excess, share};
use crate::violation::{Breach, Figure};
use crate::world::{Checked, World};
use std::collections::BTreeMap;
use tidegate_engine::ids::QuotaId;
use tidegate_engine::resources::{Dimension, Resources};

impl World {
    /// At most so much of the account's share has not arrived yet.
    pub(crate) fn in_transit(&self, account: QuotaId) -> Resources {
        let mut sum = Resources::default();
        for giver in &self.overdrawn {
            let (left, overdraft) = (excess(&self.quotas, *giver), &self.quotas[giver].overdraft);
            let Some(gain) = overdraft.as_ref().and_then(|o| o.receivers.get(&account)) else { continue };
            for d in Dimension::all() {
                sum[d] += gain[d].min(left[d]);
            }
        }
        sum
    }

    /// Whoever gives away what has not arrived itself passes on its place as a receiver.
    pub(crate) fn pass_gain_on(&mut self, giver: QuotaId, to: QuotaId, d: Dimension, amount: i64) {
        let free = share(&self.quotas, giver)[d] - self.quotas[&giver].line(d).used() - self.in_transit(giver)[d];
        let mut late = (-free).clamp(0, amount);
        let overdrawn: Vec<QuotaId> = self.overdrawn.iter().copied().collect();
        for id in overdrawn {
            let left = excess(&self.quotas, id)[d];
            let Some(overdraft) = self.quotas.get_mut(&id).and_then(|q| q.overdraft.as_mut()) else { continue };
            let Some(gain) = overdraft.receivers.get_mut(&giver) else { continue };
            gain[d] = gain[d].min(left);
            let moved = gain[d].min(late);
            gain[d] -= moved;
            overdraft.receivers.entry(to).or_default()[d] += moved;
            late -= moved;
        }
    }

    /// Gains are used only as far as overdrafts have gone. Which of several gains arrives first is open,
    /// so that they are added up over the tree.
    pub(crate) fn check_transit(&self, root: QuotaId) -> Checked {
        let givers = || self.overdrawn.iter().filter(|id| self.quotas[id].root == root);
        let mut gains: BTreeMap<QuotaId, Resources> = BTreeMap::new();
        let mut waiting = Resources::default();
        for giver in givers() {
            let left = excess(&self.quotas, *giver);
            let Some(overdraft) = &self.quotas[giver].overdraft else { continue };
            let mut promised = Resources::default();
            // A receiver that is overdrawn itself uses its gain by its own declared overdraft.
            let open = |id: &QuotaId| self.quotas.get(id).is_some_and(|quota| quota.overdraft.is_none());
            for (receiver, gain) in overdraft.receivers.iter().filter(|(id, _)| open(id)) {
                promised = promised.plus(gain);
                let sum = gains.entry(*receiver).or_default();
                *sum = sum.plus(gain);
            }
            for d in Dimension::all() {
                waiting[d] += promised[d].min(left[d]);
            }
        }
        for d in Dimension::all() {
            let used = |(id, gain): (&QuotaId, &Resources)| {
                let arrived_before = share(&self.quotas, *id)[d] - gain[d];
                (self.quotas[id].line(d).used() - arrived_before).clamp(0, gain[d])
            };
            let used: i64 = gains.iter().map(used).sum();
            let arrived = gains.values().map(|gain| gain[d]).sum::<i64>() - waiting[d];
            if used > arrived.max(0) {
                let used = Figure { dimension: d, value: used };
                return self.broken(Breach::UsedInTransit { root: self.quota_name(root), used, arrived });
            }
        }
        Ok(())
    }
}

impl Checker {
    pub(crate) fn overdrawn(&mut self, id: QuotaId, by: &Resources) -> Checked {
        let account = self.world.quota(id)?.name.clone();
        // Holds may count in full: how much of them is to come from leaving draws is the engine's choice.
        let (share, quota) = (share(&self.world.quotas, id), &self.world.quotas[&id]);
        let most = |d: Dimension| quota.line(d).drawn() + quota.line(d).held - share[d];
        let why = match () {
            () if !self.batch.shrunk.contains(&id) => "its share did not become smaller",
            () if Dimension::all().all(|d| by[d] == 0) => "it is empty",
            () if Dimension::all().any(|d| by[d] < 0 || by[d] > most(d).max(0)) => {
                "so much is not drawn beyond the share"
            }
            () => "",
        };
        if !why.is_empty() {
            return self.world.broken(Breach::OverdraftUnfounded { account, why });
        }
        let receiver = self.receiver(id);
        let quota = self.world.quotas.get_mut(&id).expect("looked up above");
        let before = quota.overdraft.take();
        let mut overdraft = before.unwrap_or(Overdraft {
            left: Resources::default(),
            receivers: BTreeMap::new(),
        });
        if let Some(receiver) = receiver {
            let gain = overdraft.receivers.entry(receiver).or_default();
            for d in Dimension::all() {
                gain[d] += (by[d] - overdraft.left[d]).max(0);
            }
        }
        overdraft.left = *by;
        quota.overdraft = Some(overdraft);
        self.world.overdrawn.insert(id);
        self.world.touched_accounts.insert(id);
        Ok(())
    }

    /// Who gains by what this account lost: the other side of a transfer, the parent, or the child that
    /// grew. Nobody in the tree if a root became smaller.
    fn receiver(&self, id: QuotaId) -> Option<QuotaId> {
        let parent = self.world.quotas[&id].parent;
        let grew =
            |(_, from, to): &&(QuotaId, Resources, Resources)| Dimension::all().any(|d| to[d] > from[d]);
        let find = |above: Option<QuotaId>| {
            let mut grown = self.batch.scaled.iter().filter(grew).map(|(q, ..)| *q);
            grown.find(|q| *q != id && self.world.quotas[q].parent == above)
        };
        let itself = self
            .batch
            .scaled
            .iter()
            .any(|(q, from, to)| *q == id && Dimension::all().any(|d| to[d] < from[d]));
        match (itself, parent) {
            (true, Some(_)) => find(parent).or(parent),
            (true, None) => None,
            (false, _) => find(Some(id)),
        }
    }

    pub(crate) fn settled(&mut self, id: QuotaId) -> Checked {
        let quota = self.world.quota(id)?;
        let account = quota.name.clone();
        if quota.overdraft.is_none() {
            let why = "it was settled without having been declared";
            return self.world.broken(Breach::OverdraftUnfounded { account, why });
        }
        let left = excess(&self.world.quotas, id);
        if let Some((dimension, value)) = left.stated().next() {
            let by = Figure { dimension, value };
            return self.world.broken(Breach::SettledTooEarly { account, by });
        }
        self.world.quotas.get_mut(&id).expect("looked up above").overdraft = None;
        self.world.overdrawn.remove(&id);
        Ok(())
    }
}
