//! A change of policy, written as the scenario language writes it.

use tidegate_engine::ids::{Span, Tick};
use tidegate_engine::policy::{ChildLevel, Policy, SelfLevel};

/// The options that differ, with their new values.
pub(crate) fn changes(before: &Policy, after: &Policy) -> Vec<(&'static str, String)> {
    let span = |s: Span| Tick(s.0).to_string();
    let (old, new) = (&before.queue, &after.queue);
    let all = [
        ("child", before.child_level != after.child_level, child_level(after.child_level)),
        ("self", before.self_level != after.self_level, self_level(after.self_level)),
        ("queue", old.strategy != new.strategy, new.strategy.to_string()),
        ("idle-sharing", before.idle_sharing != after.idle_sharing, on_off(after.idle_sharing)),
        ("protect-for", before.protect_for != after.protect_for, span(after.protect_for)),
        ("patience", old.patience != new.patience, span(new.patience)),
        ("aging-step", old.aging_step != new.aging_step, span(new.aging_step)),
        ("starvation-guard", old.starvation_guard != new.starvation_guard, span(new.starvation_guard)),
    ];
    all.into_iter().filter(|(_, differs, _)| *differs).map(|(key, _, value)| (key, value)).collect()
}

fn on_off(on: bool) -> String {
    if on { "on".into() } else { "off".into() }
}

fn child_level(policy: Option<ChildLevel>) -> String {
    policy.map_or("off".into(), |p| format!("{}:{}", p.victims(), p.modules()))
}

fn self_level(policy: Option<SelfLevel>) -> String {
    policy.map_or("off".into(), |p| format!("{}>{}:{}:{}", p.high(), p.low(), p.modules(), p.scope()))
}
