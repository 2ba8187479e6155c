//! Why a workload is where it is.

use super::labels::Directory;
use super::note::AccountDraws;
use serde_json::{Value, json};
use tidegate_engine::Engine;
use tidegate_engine::event::Cause;
use tidegate_engine::explain::Explanation;
use tidegate_engine::ids::{Tick, WorkloadId};
use tidegate_engine::unit::{Unit, UnitState};
use tidegate_engine::words::{Class, EvictionRule};
use tidegate_engine::workload::Cleared;

#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    state: &'static str,
    queue: String,
    /// Who is ahead of it in its queue, if it waits.
    ahead: Option<Vec<String>>,
    /// What it draws, if it does.
    draws: Option<Given>,
    /// What is held for it while others leave.
    holds: Option<Given>,
    waits_for: Vec<String>,
    /// Replicas that run, and how many it asks for, if some are missing.
    partly: Option<(u32, u32)>,
    reasons: Vec<String>,
    evicted: Option<Evicted>,
    /// Who had to go for it, and how many more.
    cleared: (Vec<Gone>, u32),
}

#[derive(Clone, Debug, PartialEq)]
struct Gone {
    at: Tick,
    name: String,
    rule: EvictionRule,
}

/// What its units hold in both books.
#[derive(Clone, Debug, PartialEq)]
struct Given {
    draws: AccountDraws,
    class: Class,
    nodes: Vec<String>,
}

impl Given {
    fn new(units: &[&Unit], id: WorkloadId, labels: &dyn Directory) -> Option<Given> {
        let class = units.iter().map(|unit| unit.class).min()?;
        let mut nodes: Vec<_> =
            units.iter().flat_map(|u| u.grant.slots.iter().map(|slot| slot.node)).collect();
        nodes.sort_unstable();
        nodes.dedup();
        Some(Given {
            draws: labels.draws(&units.iter().flat_map(|u| u.grant.draws.iter()).collect::<Vec<_>>()),
            class,
            nodes: nodes.into_iter().map(|node| labels.node_of(id, node)).collect(),
        })
    }

    /// `verb` says whether it draws or holds them.
    fn line(&self, verb: &str) -> String {
        format!("{verb}{} ({}) on {}", super::text::accounts(&self.draws), self.class, listed(&self.nodes))
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
    pub fn new(explanation: &Explanation, engine: &Engine, labels: &dyn Directory) -> Explained {
        let id = explanation.workload;
        let names = |ids: &Vec<_>| ids.iter().map(|id| labels.workload(*id)).collect();
        let evicted = |(at, cause): &(Tick, Cause)| Evicted {
            at: labels.clock(*at),
            by: cause.by.map(|by| labels.workload(by)),
            rule: cause.rule,
            policy_of: cause.policy_of.map(|quota| labels.quota(quota)),
            why: cause.why(),
        };
        let (held, drawn): (Vec<&Unit>, Vec<&Unit>) =
            engine.units(id).partition(|unit| unit.state == UnitState::Held);
        let gone =
            |c: &Cleared| Gone { at: labels.clock(c.at), name: labels.workload(c.workload), rule: c.rule };
        Explained {
            state: engine.workload(id).map_or("unknown", |w| w.state.word()),
            queue: labels.queue(id),
            ahead: explanation.ahead.as_ref().map(names),
            draws: Given::new(&drawn, id, labels),
            holds: Given::new(&held, id, labels),
            waits_for: names(&explanation.waits_for),
            partly: explanation.partly,
            reasons: explanation.reasons.iter().map(|reason| reason.text(labels)).collect(),
            evicted: explanation.evicted.as_ref().map(evicted),
            cleared: (explanation.cleared.0.iter().map(gone).collect(), explanation.cleared.1),
        }
    }

    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![match &self.ahead {
            None => format!("{} in {}", self.state, self.queue),
            Some(ahead) if ahead.is_empty() => format!("{} in {}, position 1", self.state, self.queue),
            Some(ahead) => {
                let position = ahead.len() + 1;
                format!("{} in {}, position {position}, behind {}", self.state, self.queue, listed(ahead))
            }
        }];
        lines.extend(self.draws.as_ref().map(|given| given.line("draws")));
        lines.extend(self.holds.as_ref().map(|given| {
            let until = match self.waits_for.len() {
                0 => String::new(),
                1 => format!(" until {} has left", self.waits_for[0]),
                _ => format!(" until {} have left", listed(&self.waits_for)),
            };
            given.line("holds") + &until
        }));
        lines.extend(self.partly.map(|(running, all)| format!("{running} of {all} replicas run")));
        lines.extend(self.reasons.iter().cloned());
        lines.extend(self.cleared_line());
        if let Some(evicted) = &self.evicted {
            let by = evicted.by.as_ref().map_or(String::new(), |by| format!(" by {by}"));
            let policy = evicted.policy_of.as_ref().map_or(String::new(), |q| format!(" of {q}"));
            lines.push(format!("evicted at {}{by} ({}{policy}): {}", evicted.at, evicted.rule, evicted.why));
        }
        lines
    }

    fn cleared_line(&self) -> Option<String> {
        let (listed, more) = &self.cleared;
        let gone = listed.iter().take(LISTED).map(|gone| format!("{} ({})", gone.name, gone.rule));
        let gone = gone.collect::<Vec<_>>().join(", ");
        let more = listed.len().saturating_sub(LISTED) + *more as usize;
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        (!listed.is_empty()).then(|| format!("evicted for it: {gone}{more}"))
    }

    pub fn fields(&self) -> Vec<(&'static str, Value)> {
        let mut fields = vec![
            ("state", json!(self.state)),
            ("queue", json!(self.queue)),
            ("position", json!(self.ahead.as_ref().map(|ahead| ahead.len() + 1))),
            ("ahead", json!(self.ahead)),
            ("reasons", json!(self.reasons)),
        ];
        if let Some((running, all)) = self.partly {
            fields.push(("replicas", json!(running)));
            fields.push(("wanted", json!(all)));
        }
        if let Some(given) = &self.draws {
            fields.push(("draws", super::json::draws(&given.draws)));
            fields.push(("class", json!(given.class.word())));
            fields.push(("nodes", json!(given.nodes)));
        }
        if let Some(given) = &self.holds {
            let value = json!({
                "draws": super::json::draws(&given.draws),
                "class": given.class.word(),
                "nodes": given.nodes,
                "until": self.waits_for,
            });
            fields.push(("holds", value));
        }
        if !self.cleared.0.is_empty() {
            let gone = self.cleared.0.iter().map(|gone| {
                json!({
                    "at": super::json::seconds(gone.at),
                    "workload": gone.name,
                    "rule": gone.rule.word(),
                })
            });
            fields.push(("evictedForIt", gone.collect()));
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
