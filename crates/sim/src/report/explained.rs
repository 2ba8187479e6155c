//! Why a workload is where it is.

use super::labels::Labels;
use super::note::AccountDraws;
use super::time::time;
use serde_json::{Value, json};
use tidegate_engine::Engine;
use tidegate_engine::event::Cause;
use tidegate_engine::explain::Explanation;
use tidegate_engine::ids::{Tick, WorkloadId};
use tidegate_engine::unit::Unit;
use tidegate_engine::words::{Class, EvictionRule};

#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    state: &'static str,
    queue: String,
    /// Who is ahead of it in its queue, if it waits.
    ahead: Option<Vec<String>>,
    /// What it has, if it has anything.
    given: Option<Given>,
    reasons: Vec<String>,
    evicted: Option<Evicted>,
}

/// What its units hold in both books.
#[derive(Clone, Debug, PartialEq)]
struct Given {
    draws: AccountDraws,
    class: Class,
    nodes: Vec<String>,
}

impl Given {
    fn new(id: WorkloadId, engine: &Engine, labels: &Labels) -> Option<Given> {
        let units: Vec<&Unit> = engine.units(id).collect();
        let class = units.iter().map(|unit| unit.class).min()?;
        let mut nodes: Vec<_> =
            units.iter().flat_map(|u| u.grant.slots.iter().map(|slot| slot.node)).collect();
        nodes.sort_unstable();
        nodes.dedup();
        Some(Given {
            draws: labels.draws(units.iter().flat_map(|u| u.grant.draws.iter())),
            class,
            nodes: nodes.into_iter().map(|node| labels.node_of(id, node)).collect(),
        })
    }

    fn line(&self) -> String {
        format!("draws{} ({}) on {}", super::text::accounts(&self.draws), self.class, listed(&self.nodes))
    }
}

/// Its latest eviction.
#[derive(Clone, Debug, PartialEq)]
struct Evicted {
    at: Tick,
    by: Option<String>,
    rule: EvictionRule,
    policy_of: Option<String>,
    why: String,
}

/// Names that are listed; more are counted.
const LISTED: usize = 10;

fn listed(names: &[String]) -> String {
    let mut text = names.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > LISTED {
        text.push_str(&format!(" and {} more", names.len() - LISTED));
    }
    text
}

impl Explained {
    pub(crate) fn new(explanation: &Explanation, engine: &Engine, labels: &Labels) -> Explained {
        let id = explanation.workload;
        let names = |ids: &Vec<_>| ids.iter().map(|id| labels.workload(*id)).collect();
        let evicted = |(at, cause): &(Tick, Cause)| Evicted {
            at: *at,
            by: cause.by.map(|by| labels.workload(by)),
            rule: cause.rule,
            policy_of: cause.policy_of.map(|quota| labels.quota(quota)),
            why: why(cause),
        };
        Explained {
            state: engine.workload(id).map_or("unknown", |w| w.state.word()),
            queue: labels.queue(id),
            ahead: explanation.ahead.as_ref().map(names),
            given: Given::new(id, engine, labels),
            reasons: explanation.reasons.iter().map(|reason| reason.text(labels)).collect(),
            evicted: explanation.evicted.as_ref().map(evicted),
        }
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines = vec![match &self.ahead {
            None => format!("{} in {}", self.state, self.queue),
            Some(ahead) if ahead.is_empty() => format!("{} in {}, position 1", self.state, self.queue),
            Some(ahead) => {
                let position = ahead.len() + 1;
                format!("{} in {}, position {position}, behind {}", self.state, self.queue, listed(ahead))
            }
        }];
        lines.extend(self.given.as_ref().map(Given::line));
        lines.extend(self.reasons.iter().cloned());
        if let Some(evicted) = &self.evicted {
            let by = evicted.by.as_ref().map_or(String::new(), |by| format!(" by {by}"));
            let policy = evicted.policy_of.as_ref().map_or(String::new(), |q| format!(" of {q}"));
            lines.push(format!(
                "evicted at {}{by} ({}{policy}): {}",
                time(evicted.at),
                evicted.rule,
                evicted.why
            ));
        }
        lines
    }

    pub(crate) fn fields(&self) -> Vec<(&'static str, Value)> {
        let mut fields = vec![
            ("state", json!(self.state)),
            ("queue", json!(self.queue)),
            ("position", json!(self.ahead.as_ref().map(|ahead| ahead.len() + 1))),
            ("ahead", json!(self.ahead)),
            ("reasons", json!(self.reasons)),
        ];
        if let Some(given) = &self.given {
            fields.push(("draws", super::json::draws(&given.draws)));
            fields.push(("class", json!(given.class.word())));
            fields.push(("nodes", json!(given.nodes)));
        }
        if let Some(evicted) = &self.evicted {
            let value = json!({
                "at": super::json::seconds(evicted.at),
                "by": evicted.by,
                "rule": evicted.rule.word(),
                "policyOf": evicted.policy_of,
                "why": evicted.why,
            });
            fields.push(("evicted", value));
        }
        fields
    }
}

/// Why it was chosen: what it was, what it lost, who was dearer.
fn why(cause: &Cause) -> String {
    let mut text = format!("priority {}, {}, {} lost", cause.priority, cause.class, gpu_time(cause.lost));
    if let Some(spared) = cause.spared.filter(|spared| *spared > 0) {
        let units = if spared == 1 { "unit" } else { "units" };
        text.push_str(&format!(", {spared} dearer {units} spared"));
    }
    text
}

/// Thousandths of a GPU times milliseconds, in GPU-hours from one hour on.
fn gpu_time(lost: u128) -> String {
    const SECOND: u128 = 1_000_000;
    const HOUR: u128 = 3_600 * SECOND;
    let (unit, name) = if lost >= HOUR { (HOUR, "GPU-hours") } else { (SECOND, "GPU-seconds") };
    let thousandths = lost.saturating_mul(1_000) / unit;
    let value = i64::try_from(thousandths).unwrap_or(i64::MAX);
    format!("{} {name}", tidegate_engine::amounts::Amount::milli(value))
}
