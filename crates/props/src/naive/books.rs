//! The books, added up from the units.

use std::collections::BTreeMap;
use tidegate_engine::Engine;
use tidegate_engine::ids::QuotaId;
use tidegate_engine::reason::Names;
use tidegate_engine::resources::{Dimension, Resources};
use tidegate_engine::unit::{Unit, UnitState};
use tidegate_engine::words::Rule;

/// All units, of whatever state.
pub fn units(engine: &Engine) -> impl Iterator<Item = &Unit> {
    engine.workloads().flat_map(|w| engine.units(w.id))
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Line {
    by_rule: [Resources; 4],
    running: Resources,
    leaving: Resources,
    held: Resources,
}

/// Compares the books that the engine shows with sums over its units and guarantees.
pub fn check(engine: &Engine) -> Result<(), String> {
    let mut lines: BTreeMap<QuotaId, Line> = BTreeMap::new();
    for u in units(engine) {
        for draw in &u.grant.draws {
            let line = lines.entry(draw.account).or_default();
            let d = draw.dimension;
            match u.state {
                UnitState::Held => line.held[d] += draw.amount,
                UnitState::Running => line.running[d] += draw.amount,
                UnitState::Leaving { .. } => line.leaving[d] += draw.amount,
            }
            if u.state != UnitState::Held {
                line.by_rule[draw.rule as usize][d] += draw.amount;
            }
        }
    }
    let books = engine.books();
    for shown in &books {
        let line = lines.remove(&shown.quota).unwrap_or_default();
        let name = engine.quota_name(shown.quota);
        let children = books.iter().filter(|b| b.parent == Some(shown.quota));
        let promised = children.fold(Resources::default(), |sum, b| sum.plus(&b.guarantee));
        let same = |what: &str, said: &Resources, counted: &Resources| match Dimension::all()
            .find(|d| said[*d] != counted[*d])
        {
            Some(d) => Err(format!(
                "{name}: {what} is shown as {} and counted as {} in dimension {}",
                said[d], counted[d], d.0
            )),
            None => Ok(()),
        };
        let share = shown.guarantee.minus(&promised);
        same("share", &shown.share, &share)?;
        for rule in Rule::ALL {
            same(rule.word(), &shown.drawn[*rule as usize], &line.by_rule[*rule as usize])?;
        }
        // How much of its holds is to come from leaving draws is the engine's choice.
        let most = share.minus(&line.running.plus(&line.leaving));
        let (mut over, mut shaky) = (false, shown.in_transit != Resources::default());
        for d in Dimension::all() {
            let balance = shown.balance[d] + shown.in_transit[d];
            let covered = line.held[d].min(line.leaving[d]);
            let range = most[d] - line.held[d]..=most[d] - (line.held[d] - covered);
            if !shown.overdrawn && !range.contains(&balance) {
                return Err(format!(
                    "{name}: balance is shown as {balance} and counted as {range:?} in dimension {}",
                    d.0
                ));
            }
            over |= *range.end() < 0;
            shaky |= covered > 0;
        }
        if !shaky && over != shown.overdrawn {
            return Err(format!("{name}: overdrawn is shown as {} and counted as {over}", shown.overdrawn));
        }
        if engine.quota(shown.quota).is_some_and(|q| q.deleted) {
            return Err(format!("{name} is deleted and has books"));
        }
        let waiting =
            engine.workloads().filter(|w| w.spec.quota == shown.quota && w.state.is_waiting()).count();
        if waiting != shown.queued as usize {
            return Err(format!("{name}: {} are shown as queued, {waiting} are", shown.queued));
        }
    }
    match lines.into_iter().find(|(_, line)| *line != Line::default()) {
        Some((quota, _)) => Err(format!("{} is drawn on and has no books", engine.quota_name(quota))),
        None => Ok(()),
    }
}
