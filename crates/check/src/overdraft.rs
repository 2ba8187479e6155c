//! Declared overdrafts, and how much of others' gains may wait for them.

use crate::checker::Checker;
use crate::quotas::{Overdraft, excess, share};
use crate::violation::{Breach, Figure};
use crate::world::{Checked, World};
use tidegate_engine::ids::QuotaId;
use tidegate_engine::resources::{Dimension, Resources};

impl World {
    /// At most so much of the account's share has not arrived yet: all that was declared, though part of it may be
    /// gone. Gains may wait for gains and are passed on by later changes, and which arrives first is the engine's
    /// choice; events do not tell. `check_transit` holds what the engine shows of it to the sums of the tree, and
    /// who uses a gain too early draws the tree beyond its guarantee.
    pub(crate) fn in_transit(&self, account: QuotaId) -> Resources {
        let root = self.quotas[&account].root;
        let others = self.overdrawn.iter().filter(|id| **id != account && self.quotas[id].root == root);
        let declared = others.filter_map(|id| self.quotas[id].overdraft.as_ref());
        declared.fold(Resources::default(), |sum, overdraft| sum.plus(&overdraft.declared))
    }
}

impl Checker {
    pub(crate) fn overdrawn(&mut self, id: QuotaId, by: &Resources) -> Checked {
        let account = self.world.quota(id)?.name.clone();
        // Holds may count in full: how much of them is to come from leaving draws is the engine's choice.
        let (share, quota) = (share(&self.world.quotas, id), &self.world.quotas[&id]);
        // So does what has not arrived.
        let late = self.world.in_transit(id);
        let most = |d: Dimension| quota.line(d).drawn() + quota.line(d).held + late[d] - share[d];
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
        let overdraft = Overdraft { left: *by, declared: *by };
        self.world.quotas.get_mut(&id).expect("looked up above").overdraft = Some(overdraft);
        self.world.overdrawn.insert(id);
        self.world.touched_accounts.insert(id);
        Ok(())
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
