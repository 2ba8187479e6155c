//! Whether the engine's books, as it shows them, are the ones that follow from its events.

use crate::checker::Checker;
use crate::quotas::share;
use crate::violation::{Breach, Figure};
use crate::world::Checked;
use std::collections::BTreeMap;
use tidegate_engine::engine::QuotaBooks;
use tidegate_engine::ids::QuotaId;
use tidegate_engine::resources::{Dimension, Resources};
use tidegate_engine::words::Rule;

impl Checker {
    /// Compares every quota: guarantee, share, draws by rule, balance. And the engine's shares add up.
    pub fn check_books(&self, books: &[QuotaBooks]) -> Checked {
        let world = &self.world;
        let mut shares: BTreeMap<QuotaId, Resources> = BTreeMap::new();
        for shown in books {
            let (id, quota) = (shown.quota, world.quota(shown.quota)?);
            let sum = shares.entry(quota.root).or_default();
            *sum = sum.plus(&shown.share);
            let share = share(&world.quotas, id);
            for d in Dimension::all() {
                let mut pairs = vec![
                    ("guaranteed", shown.guarantee[d], quota.guarantee[d]),
                    ("of share", shown.share[d], share[d]),
                ];
                for (rule, drawn) in Rule::ALL.iter().zip(&shown.drawn) {
                    let counted = quota.by_rule.get(&(d, *rule)).copied().unwrap_or_default();
                    pairs.push((rule.word(), drawn[d], counted));
                }
                // How much of its holds is to come from leaving draws, and which of several gains arrives
                // first, is the engine's choice.
                if quota.overdraft.is_none() {
                    let line = quota.line(d);
                    let most = share[d] - shown.in_transit[d] - line.used();
                    let least = share[d] - shown.in_transit[d] - line.drawn() - line.held;
                    pairs.push(("of balance", shown.balance[d], shown.balance[d].clamp(least, most)));
                }
                if let Some((what, said, counted)) =
                    pairs.into_iter().find(|(_, said, counted)| said != counted)
                {
                    let (quota, what) = (quota.name.clone(), what.to_string());
                    let said = Figure { dimension: d, value: said };
                    return world.broken(Breach::BooksDiffer { quota, what, said, counted });
                }
            }
            if shown.overdrawn != quota.overdraft.is_some() {
                let why = "the engine's books and its events do not agree on it";
                return world.broken(Breach::OverdraftUnfounded { account: quota.name.clone(), why });
            }
        }
        if let Some(id) = world.quotas.keys().find(|id| books.iter().all(|shown| shown.quota != **id)) {
            return world.broken(Breach::Unknown { noun: "quota", id: u64::from(id.0) });
        }
        self.check_transit(books)?;
        for (root, shares) in shares {
            let guarantee = world.quotas[&root].guarantee;
            if let Some(d) = Dimension::all().find(|d| shares[*d] != guarantee[*d]) {
                let (root, shares) = (world.quota_name(root), Figure { dimension: d, value: shares[d] });
                return world.broken(Breach::SharesDoNotAddUp { root, shares, guarantee: guarantee[d] });
            }
        }
        Ok(())
    }

    /// Gains are used only as they arrive: what accounts are drawn beyond that, others have in transit. So a
    /// tree stays within its guarantee even if all that is free in it is drawn. And nothing waits for nothing.
    fn check_transit(&self, books: &[QuotaBooks]) -> Checked {
        let world = &self.world;
        let mut sums: BTreeMap<QuotaId, (Resources, Resources)> = BTreeMap::new();
        for shown in books {
            let quota = world.quota(shown.quota)?;
            let share = share(&world.quotas, shown.quota);
            let (over, late) = sums.entry(quota.root).or_default();
            for d in Dimension::all() {
                let beyond = (quota.line(d).used() + shown.in_transit[d] - share[d]).max(0);
                if beyond > 0 && quota.overdraft.is_none() {
                    let (root, over) = (quota.name.clone(), Figure { dimension: d, value: beyond });
                    return world.broken(Breach::UsedInTransit {
                        root,
                        over,
                        in_transit: shown.in_transit[d],
                    });
                }
                over[d] += beyond;
                late[d] += shown.in_transit[d];
            }
        }
        for (root, (over, late)) in sums {
            // What a root gave away that became smaller is in transit to nobody.
            let gave_away = world.smaller_roots.contains(&root);
            let waits = world.overdrawn.iter().any(|id| world.quotas[id].root == root);
            let wrong = |d: &Dimension| (over[*d] > late[*d] && !gave_away) || (late[*d] > 0 && !waits);
            if let Some(d) = Dimension::all().find(wrong) {
                let (root, over) = (world.quota_name(root), Figure { dimension: d, value: over[d] });
                return world.broken(Breach::UsedInTransit { root, over, in_transit: late[d] });
            }
        }
        Ok(())
    }
}
