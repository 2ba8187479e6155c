//! Metered use equals the draws, for every account and at every instant.

use crate::checker::Checker;
use crate::violation::{Breach, Figure, Violation};
use crate::world::Checked;
use std::collections::BTreeMap;
use tidegate_engine::event::Event;
use tidegate_engine::ids::{QuotaId, Tick};
use tidegate_engine::resources::Dimension;
use tidegate_engine::usage::{Interval, Usage};

/// By how much an account's use changes at which instant; entries of zero are left out.
type Steps = BTreeMap<(QuotaId, Dimension), BTreeMap<Tick, i64>>;

fn step(steps: &mut Steps, key: (QuotaId, Dimension), at: Tick, by: i64) {
    let changes = steps.entry(key).or_default();
    let change = changes.entry(at).or_default();
    *change += by;
    if *change == 0 {
        changes.remove(&at);
    }
}

/// Reads the same batches as the checker, after it.
#[derive(Clone, Debug, Default)]
pub struct Metering {
    usage: Usage,
    events: u64,
    drawn: Steps,
    /// Where `drawn` has got to.
    now: BTreeMap<(QuotaId, Dimension), i64>,
    metered: Steps,
    /// Names of accounts, also of those deleted since.
    names: BTreeMap<QuotaId, String>,
}

impl Metering {
    pub fn new() -> Metering {
        Metering::default()
    }

    /// `checker` has just read this batch.
    pub fn observe(&mut self, events: &[Event], checker: &Checker) -> Result<Vec<Interval>, Violation> {
        let Some(last) = events.last() else { return Ok(Vec::new()) };
        let mut closed = Vec::new();
        for event in events {
            self.events += 1;
            for interval in self.usage.observe(event) {
                self.record(&interval, checker)?;
                closed.push(interval);
            }
        }
        for &account in &checker.world.touched_accounts {
            self.names.insert(account, checker.world.quota_name(account));
            for d in Dimension::all() {
                let (key, drawn) = ((account, d), checker.drawn(account, d));
                let before = self.now.insert(key, drawn).unwrap_or_default();
                if drawn != before {
                    step(&mut self.drawn, key, last.at, drawn - before);
                }
            }
        }
        Ok(closed)
    }

    fn record(&mut self, interval: &Interval, checker: &Checker) -> Checked {
        let why = match checker.world.workloads.get(&interval.workload) {
            _ if interval.from >= interval.to => "ends before it begins",
            _ if interval.amount <= 0 => "is of nothing",
            _ if interval.key >= self.events => "was opened by an event that has not happened",
            Some(w) if w.spec.quota != interval.borrower => "names another borrower",
            _ => "",
        };
        if !why.is_empty() {
            let workload = checker.world.name(interval.workload);
            return checker.world.broken(Breach::WrongInterval { workload, why });
        }
        let key = (interval.account, interval.dimension);
        step(&mut self.metered, key, interval.from, interval.amount);
        step(&mut self.metered, key, interval.to, -interval.amount);
        Ok(())
    }

    /// Compares the two step functions of every account. They are equal at every instant or not at all,
    /// so that their integrals are, too.
    pub fn finish(&self) -> Checked {
        let mut metered = self.metered.clone();
        for open in self.usage.open(Tick(u64::MAX)) {
            step(&mut metered, (open.account, open.dimension), open.from, open.amount);
        }
        let empty = BTreeMap::new();
        for key in self.drawn.keys().chain(metered.keys()) {
            let (drawn, metered) =
                (self.drawn.get(key).unwrap_or(&empty), metered.get(key).unwrap_or(&empty));
            if drawn == metered {
                continue;
            }
            let mut instants = drawn.keys().chain(metered.keys()).copied().collect::<Vec<_>>();
            instants.sort_unstable();
            let differs = |at: &Tick| drawn.get(at) != metered.get(at);
            let at = instants.into_iter().find(differs).unwrap_or(Tick::ZERO);
            let sum = |changes: &BTreeMap<Tick, i64>| changes.range(..=at).map(|(_, by)| by).sum::<i64>();
            let account = self.names.get(&key.0).cloned().unwrap_or_else(|| format!("quota {}", key.0.0));
            let drawn = Figure { dimension: key.1, value: sum(drawn) };
            let breach = Breach::NotMetered { account, at, drawn, metered: sum(metered) };
            return Err(Violation { at, breach });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidegate_engine::ids::WorkloadId;
    use tidegate_engine::words::{Class, Rule};

    #[test]
    fn records_that_cannot_be_are_found() {
        let fine = Interval {
            key: 0,
            workload: WorkloadId(1),
            unit: 0,
            account: QuotaId(0),
            dimension: Dimension(0),
            rule: Rule::Own,
            class: Class::Firm,
            amount: 8,
            borrower: QuotaId(0),
            from: Tick(1),
            to: Tick(2),
        };
        let check = |interval: Interval| {
            let mut metering = Metering { events: 1, ..Metering::default() };
            metering.record(&interval, &Checker::new()).map_err(|violation| violation.breach)
        };
        assert_eq!(check(fine), Ok(()));
        for wrong in
            [Interval { to: Tick(1), ..fine }, Interval { amount: 0, ..fine }, Interval { key: 1, ..fine }]
        {
            assert!(matches!(check(wrong), Err(Breach::WrongInterval { .. })), "{wrong:?}");
        }
    }
}
