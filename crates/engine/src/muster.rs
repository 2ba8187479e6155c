//! Entering units into every index that decisions read, and taking them out again.

use crate::herd::{Beast, Herd, Mark, class_tag, module_tag};
use crate::ids::QuotaId;
use crate::pins::Cells;
use crate::state::{Seniority, State};
use crate::table::Slab;
use crate::unit::{Draw, Unit};
use crate::words::{Class, IdleUse, Rule};
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::BTreeSet;

impl State {
    pub(crate) fn beast(&self, unit: u32, tag: u8) -> Beast {
        let u = &self.units[unit];
        let (workload, number, stamp) = (u.workload, u.number, u.stamp);
        let mark = Mark { saved_at: u.saved_at, started: Reverse(u.started), workload, number, unit, stamp };
        Beast { priority: u.priority, tag, rate: u.rate(), gpu: u.gpu, mark }
    }

    /// Enters a running unit into every index that victim search and re-funding use.
    pub(crate) fn enlist(&mut self, unit: u32) {
        self.pin(unit, 1);
        self.watch_borrowers(unit);
        self.stamps = self.stamps.wrapping_add(1);
        self.units[unit].stamp = self.stamps;
        self.each_index(
            unit,
            |herd, beast, _| herd.join(beast),
            |set, s| {
                set.insert(s);
            },
        );
    }

    /// Takes a unit out of every index. It must be as it was when it was entered.
    pub(crate) fn strike(&mut self, unit: u32) {
        self.pin(unit, -1);
        let stamp = self.units[unit].stamp;
        self.units[unit].stamp = stamp.wrapping_add(1 << 31);
        self.each_index(
            unit,
            |herd, beast, units| {
                herd.leave(beast, |u| units.get(u).map(|u| u.stamp));
            },
            |set, s| {
                set.remove(&s);
            },
        );
    }

    /// From the first unit below firm on, counts what a recall could never clear.
    fn watch_borrowers(&mut self, unit: u32) {
        let u = &self.units[unit];
        let pool = self.tree[u.quota].pool;
        if u.class == Class::Firm || self.pins[pool.index()].is_registered(Cells::NONE) {
            return;
        }
        let firm = self
            .units
            .iter()
            .map(|(_, u)| u)
            .filter(|u| u.is_running() && u.is_pinned() && self.tree[u.quota].pool == pool);
        self.pins[pool.index()]
            .register(Cells::NONE, firm.map(|u| (Cells::of(u.priority, u.module), &u.grant.slots[..])));
    }

    fn pin(&mut self, unit: u32, sign: i32) {
        let u = &self.units[unit];
        if u.is_pinned() {
            self.pins[self.tree[u.quota].pool.index()].count(
                Cells::of(u.priority, u.module),
                &u.grant.slots,
                sign,
            );
        }
    }

    fn each_index(
        &mut self,
        unit: u32,
        herd: impl Fn(&mut Herd, &Beast, &Slab<Unit>),
        set: impl Fn(&mut BTreeSet<Seniority>, Seniority),
    ) {
        let u = &self.units[unit];
        let quota = u.quota;
        if self.tree[quota].hunted {
            self.each_herd(unit, &herd);
        }
        let u = &self.units[unit];
        if u.grant.draws.iter().all(|d| d.rule == Rule::Own) {
            return;
        }
        self.each_index_abroad(unit, herd, set);
    }

    /// Indexes of units that draw on other accounts or by other rules than `own`.
    #[inline(never)]
    fn each_index_abroad(
        &mut self,
        unit: u32,
        herd: impl Fn(&mut Herd, &Beast, &Slab<Unit>),
        set: impl Fn(&mut BTreeSet<Seniority>, Seniority),
    ) {
        let u = &self.units[unit];
        let (quota, by_class) = (u.quota, self.beast(unit, class_tag(u.class)));
        if u.class < Class::Firm {
            let pool = self.tree[quota].pool;
            herd(&mut self.low[pool.index()], &by_class, &self.units);
        }
        let seniority = self.seniority(unit);
        if self.could_come_home(unit) {
            set(&mut self.abroad[quota.index()], seniority);
        }
        for (account, lent) in abroad(&self.units[unit].grant.draws) {
            set(&mut self.foreign[account.index()], seniority);
            self.note_lender(account);
            if lent {
                herd(&mut self.herds[account.index()].borrowers, &by_class, &self.units);
            }
        }
    }

    /// Who uses idle capacity only has no earlier rule to come home by.
    fn could_come_home(&self, unit: u32) -> bool {
        self.w(self.units[unit].workload).spec.idle != IdleUse::Only
    }

    fn note_lender(&mut self, account: QuotaId) {
        let key = (self.tree[account].root, account);
        match self.foreign[account.index()].len() {
            0 => _ = self.lenders.remove(&key),
            1 => _ = self.lenders.insert(key),
            _ => {}
        }
    }

    /// Herds that the policies of quotas keep of a unit.
    #[inline(never)]
    fn each_herd(&mut self, unit: u32, herd: impl Fn(&mut Herd, &Beast, &Slab<Unit>)) {
        let u = &self.units[unit];
        let (quota, by_module) = (u.quota, self.beast(unit, module_tag(u.module)));
        if let Some(h) = &mut self.herds[quota.index()].own {
            herd(h, &by_module, &self.units);
        }
        for (i, &a) in self.tree[quota].above.iter().enumerate() {
            if i == 0
                && let Some(h) = &mut self.herds[a.index()].children
            {
                herd(h, &by_module, &self.units);
            }
            if let Some(h) = &mut self.herds[a.index()].below {
                herd(h, &by_module, &self.units);
            }
        }
    }

    /// A unit's draws on these accounts moved and its class stayed: no other index changes.
    pub(crate) fn shift(&mut self, unit: u32, old: &[Draw], accounts: impl Iterator<Item = QuotaId>) {
        let u = &self.units[unit];
        let (quota, by_class) = (u.quota, self.beast(unit, class_tag(u.class)));
        let seniority = self.seniority(unit);
        let could = self.could_come_home(unit);
        let is_abroad = |draws: &[Draw]| could && draws.iter().any(|d| d.rule != Rule::Own);
        match (is_abroad(old), is_abroad(&u.grant.draws)) {
            (false, true) => _ = self.abroad[quota.index()].insert(seniority),
            (true, false) => _ = self.abroad[quota.index()].remove(&seniority),
            _ => {}
        }
        let mut accounts: SmallVec<[QuotaId; 8]> = accounts.collect();
        accounts.sort_unstable();
        accounts.dedup();
        for account in accounts {
            let on = |draws: &[Draw]| {
                let mut there =
                    draws.iter().filter(|d| d.account == account && d.rule != Rule::Own).peekable();
                (there.peek().is_some(), there.any(|d| d.class < Class::Firm))
            };
            let ((was, lent), (is, lends)) = (on(old), on(&self.units[unit].grant.draws));
            match (was, is) {
                (false, true) => _ = self.foreign[account.index()].insert(seniority),
                (true, false) => _ = self.foreign[account.index()].remove(&seniority),
                _ => {}
            }
            if was != is {
                self.note_lender(account);
            }
            match (lent, lends) {
                (false, true) => self.herds[account.index()].borrowers.join(&by_class),
                (true, false) => self.herds[account.index()].borrowers.strike(&by_class),
                _ => {}
            }
        }
    }
}

/// Accounts that draws are on by another rule than `own`, and whether any of that is below firm.
fn abroad(draws: &[Draw]) -> SmallVec<[(QuotaId, bool); 4]> {
    let foreign = draws.iter().filter(|d| d.rule != Rule::Own);
    let mut accounts: SmallVec<[(QuotaId, bool); 4]> =
        foreign.map(|d| (d.account, d.class < Class::Firm)).collect();
    // Of one account what is lent comes first, and stays.
    accounts.sort_unstable_by_key(|a| (a.0, !a.1));
    accounts.dedup_by_key(|a| a.0);
    accounts
}
