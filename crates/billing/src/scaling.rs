//! Dedicated compute by usage: when it grows, when it shrinks, and by how much.
//!
//! Busy is what the live tasks ask for, running and waiting, as a part of what is held. It grows when it is busy to
//! the threshold, or when somebody has waited too long: by as many steps as bring it below the threshold. It shrinks
//! by one step when it would have been below the threshold with one step less for all of a cool-down.
//!
//! **Invariant:** whatever is asked of it, it shrinks at most once in a cool-down, and not within a cool-down after
//! it has grown. What grew for a constant demand does not shrink: with one step less it would not be below the
//! threshold.

use serde::{Deserialize, Serialize};
use tidegate_engine::ids::{Span, Tick};
use tidegate_engine::resources::Resources;

/// All of it is busy: thresholds are in thousandths.
pub const ALL: u32 = 1_000;

/// How a config scales.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Scaling {
    /// Thousandths of what is held: from so much on it grows. 1 to [`ALL`].
    pub threshold: u32,
    /// Nobody waits longer for what one more step would give.
    pub wait: Span,
    /// Resources that it does not state are not scaled.
    pub step: Resources,
    /// Held whatever is asked for.
    pub minimum: Resources,
    pub maximum: Resources,
    pub cool_down: Span,
}

/// What it looks like now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    pub now: Tick,
    pub held: Resources,
    /// When what is held changed last.
    pub changed: Option<Tick>,
    /// What tasks that run draw, and what those that wait ask for.
    pub drawn: Resources,
    pub waiting: Resources,
    /// How long the first of those that wait has waited.
    pub oldest: Option<Span>,
    /// What may be taken of the supply.
    pub free: Resources,
    /// What [`Verdict::calm`] said at the last look. Forgetting it only makes it shrink later.
    pub calm: Option<Tick>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Stay,
    Out { to: Resources, why: Why },
    In { to: Resources },
}

/// Why it grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It holds less than its minimum.
    Minimum,
    /// Busy to so many thousandths of what is held; `None`: nothing is held.
    Busy(Option<u32>),
    Waited(Span),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub step: Step,
    /// Since when one step less would do.
    pub calm: Option<Tick>,
    /// It would have grown by more had the supply had more.
    pub short: bool,
}

/// Decides. Pure: the same is decided wherever it is asked, also in a replay of the past.
pub fn decide(rule: &Scaling, seen: &Seen) -> Verdict {
    let demand = seen.drawn.plus(&seen.waiting);
    if let Some(why) = grows(rule, seen, &demand) {
        let (to, short) = grown(rule, seen, &demand);
        let step = if to == seen.held { Step::Stay } else { Step::Out { to, why } };
        return Verdict { step, calm: None, short };
    }
    let to = one_less(rule, &seen.held);
    let would_do = to != seen.held && seen.oldest.is_none() && below(rule, &demand, &to);
    if !would_do {
        return Verdict { step: Step::Stay, calm: None, short: false };
    }
    let since = seen.calm.unwrap_or(seen.now).max(seen.changed.unwrap_or(Tick::ZERO));
    if since.after(rule.cool_down) > seen.now {
        return Verdict { step: Step::Stay, calm: Some(since), short: false };
    }
    Verdict { step: Step::In { to }, calm: None, short: false }
}

/// How much of an amount is asked for, in thousandths: the largest over its resources. `None`: something is asked for
/// of which there is nothing.
pub fn busy(rule: &Scaling, demand: &Resources, of: &Resources) -> Option<u32> {
    let mut most = 0;
    for (dimension, _) in rule.step.stated() {
        let (asked, all) = (i128::from(demand[dimension]), i128::from(of[dimension]));
        match (asked > 0, all > 0) {
            (false, _) => {}
            (true, false) => return None,
            (true, true) => most = most.max(asked * i128::from(ALL) / all),
        }
    }
    Some(u32::try_from(most).unwrap_or(u32::MAX))
}

fn below(rule: &Scaling, demand: &Resources, of: &Resources) -> bool {
    busy(rule, demand, of).is_some_and(|busy| busy < rule.threshold)
}

fn grows(rule: &Scaling, seen: &Seen, demand: &Resources) -> Option<Why> {
    let busy = busy(rule, demand, &seen.held);
    if busy.is_none_or(|busy| busy >= rule.threshold) {
        return Some(Why::Busy(busy));
    }
    if rule.step.stated().any(|(d, _)| seen.held[d] < rule.minimum[d]) {
        return Some(Why::Minimum);
    }
    // What was added for somebody who waits gets as long to help as they had to wait for it.
    let settled = seen.changed.is_none_or(|changed| changed.after(rule.wait) <= seen.now);
    seen.oldest.filter(|oldest| *oldest >= rule.wait && settled).map(Why::Waited)
}

/// What it grows to, and whether the supply keeps it from more.
fn grown(rule: &Scaling, seen: &Seen, demand: &Resources) -> (Resources, bool) {
    let threshold = i128::from(rule.threshold.max(1));
    // As many steps as bring all that is asked for below the threshold, and hold the minimum.
    let mut steps: i128 = 1;
    // As many as the supply has for each resource that is not at its maximum within it.
    let mut given = i128::MAX;
    for (d, step) in rule.step.stated() {
        let (held, step) = (i128::from(seen.held[d]), i128::from(step.max(1)));
        let wanted = match i128::from(demand[d]) {
            0 => 0,
            asked => asked * i128::from(ALL) / threshold + 1,
        };
        let missing = wanted.max(i128::from(rule.minimum[d])) - held;
        steps = steps.max(missing.max(0).unsigned_abs().div_ceil(step.unsigned_abs()) as i128);
        let free = i128::from(seen.free[d].max(0));
        if i128::from(rule.maximum[d]) - held > free {
            given = given.min(free / step);
        }
    }
    let at_most = |steps: i128| {
        let mut to = seen.held;
        for (d, step) in rule.step.stated() {
            let most = i128::from(rule.maximum[d].max(seen.held[d]));
            to[d] = (i128::from(to[d]) + steps * i128::from(step)).min(most) as i64;
        }
        to
    };
    let to = at_most(steps.min(given));
    (to, to != at_most(steps))
}

fn one_less(rule: &Scaling, held: &Resources) -> Resources {
    let mut to = *held;
    for (d, step) in rule.step.stated() {
        to[d] = (held[d] - step).max(rule.minimum[d]).max(0).min(held[d]);
    }
    to
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidegate_engine::resources::Dimension;

    const GPU: Dimension = Dimension(0);

    fn gpus(whole: i64) -> Resources {
        Resources::of(GPU, whole * 1_000)
    }

    fn rule() -> Scaling {
        Scaling {
            threshold: 800,
            wait: Span::seconds(10),
            step: gpus(2),
            minimum: gpus(0),
            maximum: gpus(9),
            cool_down: Span::minutes(5),
        }
    }

    fn seen(held: i64, drawn: i64, waiting: i64) -> Seen {
        Seen {
            now: Tick(1_000_000),
            held: gpus(held),
            changed: Some(Tick(0)),
            drawn: gpus(drawn),
            waiting: gpus(waiting),
            oldest: (waiting > 0).then_some(Span::ZERO),
            free: gpus(100),
            calm: None,
        }
    }

    fn out(to: i64, why: Why) -> Verdict {
        Verdict { step: Step::Out { to: gpus(to), why }, calm: None, short: false }
    }

    #[test]
    fn it_grows_by_as_many_steps_as_bring_it_below_the_threshold() {
        assert_eq!(decide(&rule(), &seen(0, 0, 1)), out(2, Why::Busy(None)));
        assert_eq!(decide(&rule(), &seen(0, 0, 4)), out(6, Why::Busy(None)));
        assert_eq!(decide(&rule(), &seen(5, 4, 0)), out(7, Why::Busy(Some(800))));
        assert_eq!(decide(&rule(), &seen(4, 3, 0)).step, Step::Stay);
        // The maximum cuts the last step short, and beyond it nothing grows.
        assert_eq!(decide(&rule(), &seen(8, 8, 50)), out(9, Why::Busy(Some(7_250))));
        let full = Verdict { step: Step::Stay, calm: None, short: false };
        assert_eq!(decide(&rule(), &seen(9, 9, 50)), full);
    }

    #[test]
    fn the_supply_gives_whole_steps_and_it_is_said_when_it_falls_short() {
        let scarce = |free, held| Seen { free: gpus(free), ..seen(held, 0, 6) };
        let two = Verdict { short: true, ..out(2, Why::Busy(None)) };
        assert_eq!(decide(&rule(), &scarce(3, 0)), two);
        assert_eq!(decide(&rule(), &scarce(1, 0)), Verdict { step: Step::Stay, calm: None, short: true });
        // One more to the maximum is less than a step, and there is one.
        assert_eq!(
            decide(&rule(), &Seen { drawn: gpus(8), ..scarce(1, 8) }).step,
            Step::Out { to: gpus(9), why: Why::Busy(Some(1_750)) }
        );
        assert!(!decide(&rule(), &scarce(8, 0)).short);
    }

    #[test]
    fn somebody_who_waits_too_long_gets_a_step_and_that_gets_time_to_help() {
        let waits = |waited: u64, changed: u64| Seen {
            oldest: Some(Span::seconds(waited)),
            changed: Some(Tick(1_000_000 - changed)),
            ..seen(4, 2, 1)
        };
        assert_eq!(decide(&rule(), &waits(9, 60_000)).step, Step::Stay);
        assert_eq!(decide(&rule(), &waits(10, 60_000)), out(6, Why::Waited(Span::seconds(10))));
        assert_eq!(decide(&rule(), &waits(30, 9_999)).step, Step::Stay);
        assert_eq!(decide(&rule(), &waits(30, 10_000)), out(6, Why::Waited(Span::seconds(30))));
    }

    #[test]
    fn it_shrinks_by_a_step_after_a_calm_cool_down_and_never_below_its_minimum() {
        let five = Span::minutes(5).0;
        let calm = |held, drawn, calm: Option<u64>| Seen { calm: calm.map(Tick), ..seen(held, drawn, 0) };
        let begins = Verdict { step: Step::Stay, calm: Some(Tick(1_000_000)), short: false };
        assert_eq!(decide(&rule(), &calm(6, 3, None)), begins);
        let still = decide(&rule(), &calm(6, 3, Some(1_000_001 - five)));
        assert_eq!((still.step, still.calm), (Step::Stay, Some(Tick(1_000_001 - five))));
        assert_eq!(decide(&rule(), &calm(6, 3, Some(1_000_000 - five))).step, Step::In { to: gpus(4) });
        // With one step less it would be busy to the threshold.
        assert_eq!(decide(&rule(), &calm(7, 4, Some(0))).calm, None);
        // What changed meanwhile begins the wait anew.
        let changed = Seen { changed: Some(Tick(900_000)), ..calm(6, 3, Some(0)) };
        assert_eq!(decide(&rule(), &changed).calm, Some(Tick(900_000)));
        let rule = Scaling { minimum: gpus(5), ..rule() };
        assert_eq!(decide(&rule, &calm(6, 0, Some(0))).step, Step::In { to: gpus(5) });
        assert_eq!(decide(&rule, &calm(5, 0, Some(0))).step, Step::Stay);
        assert_eq!(decide(&rule, &calm(4, 0, Some(0))).step, Step::Out { to: gpus(6), why: Why::Minimum });
    }

    #[test]
    fn the_scarcest_resource_decides() {
        let both = |gpu: i64, cpu: i64| {
            let mut all = gpus(gpu);
            all[Dimension::CPU] = cpu * 1_000;
            all
        };
        let rule = Scaling { step: both(1, 8), maximum: both(4, 32), ..rule() };
        let seen = Seen { held: both(2, 16), drawn: both(1, 14), free: both(9, 99), ..seen(0, 0, 0) };
        let verdict = decide(&rule, &seen);
        assert_eq!(verdict.step, Step::Out { to: both(3, 24), why: Why::Busy(Some(875)) });
        // What is not scaled does not count.
        let mut memory = both(1, 4);
        memory[Dimension::MEMORY] = 1 << 40;
        assert_eq!(decide(&rule, &Seen { drawn: memory, ..seen }).step, Step::Stay);
    }
}
