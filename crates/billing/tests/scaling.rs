//! Compute by usage through random histories: how often it may shrink, and what it always holds.

use proptest::prelude::*;
use tidegate_billing::scaling::{Scaling, Seen, Step, decide};
use tidegate_engine::ids::{Span, Tick};
use tidegate_engine::resources::{Dimension, Resources};

const GPU: Dimension = Dimension(0);

fn gpus(milli: i64) -> Resources {
    Resources::of(GPU, milli)
}

fn rule() -> impl Strategy<Value = Scaling> {
    (1u32..=1_000, 0u64..30, 1i64..5_000, 0i64..4_000, 1i64..30_000, 0u64..120).prop_map(
        |(threshold, wait, step, minimum, more, cool_down)| Scaling {
            threshold,
            wait: Span::seconds(wait),
            step: gpus(step),
            minimum: gpus(minimum),
            maximum: gpus(minimum + more),
            cool_down: Span::seconds(cool_down),
        },
    )
}

/// What is asked for, how much of that nothing can place however much is held, and the supply; for how many looks.
type Stretch = (i64, bool, i64, u64);

fn history() -> impl Strategy<Value = Vec<Stretch>> {
    let stretch = (prop_oneof![Just(0i64), 0i64..40_000], prop::bool::weighted(0.1), 0i64..60_000, 1u64..200);
    prop::collection::vec(stretch, 1..20)
}

struct Run {
    rule: Scaling,
    now: u64,
    held: i64,
    changed: Option<Tick>,
    calm: Option<Tick>,
    waits_since: Option<u64>,
}

impl Run {
    fn new(rule: Scaling) -> Run {
        Run { rule, now: 1_000, held: 0, changed: None, calm: None, waits_since: None }
    }

    /// Looks once, and does as it is told.
    fn look(&mut self, demand: i64, stuck: bool, supply: i64) -> Step {
        let drawn = if stuck { demand / 2 } else { demand }.min(self.held);
        let waiting = demand - drawn;
        self.waits_since = (waiting > 0).then(|| self.waits_since.unwrap_or(self.now));
        let seen = Seen {
            now: Tick(self.now),
            held: gpus(self.held),
            changed: self.changed,
            drawn: gpus(drawn),
            waiting: gpus(waiting),
            oldest: self.waits_since.map(|since| Span(self.now - since)),
            free: gpus((supply - self.held).max(0)),
            calm: self.calm,
        };
        let verdict = decide(&self.rule, &seen);
        self.calm = verdict.calm;
        if let Step::Out { to, .. } | Step::In { to } = verdict.step {
            self.held = to[GPU];
            self.changed = Some(Tick(self.now));
        }
        verdict.step
    }
}

proptest! {
    #[test]
    fn it_shrinks_once_in_a_cool_down_and_not_soon_after_it_grew(
        rule in rule(), history in history(), forgets in prop::bool::weighted(0.3),
    ) {
        let mut run = Run::new(rule);
        let (mut last, mut looks) = (None::<u64>, 0u64);
        for (demand, stuck, supply, times) in history {
            for _ in 0..times {
                run.now += 1_000;
                looks += 1;
                if forgets && looks.is_multiple_of(37) {
                    run.calm = None;
                }
                let held = run.held;
                let step = run.look(demand, stuck, supply);
                match step {
                    Step::Stay => prop_assert_eq!(run.held, held),
                    Step::Out { .. } => {
                        prop_assert!(run.held > held && run.held <= rule.maximum[GPU]);
                        prop_assert!(run.held - held <= (supply - held).max(0), "more than the supply has");
                        last = Some(run.now);
                    }
                    Step::In { .. } => {
                        prop_assert!(run.held < held && held - run.held <= rule.step[GPU]);
                        prop_assert!(run.held >= rule.minimum[GPU]);
                        prop_assert!(run.held >= demand, "it shrinks below what is asked for");
                        if let Some(last) = last {
                            prop_assert!(run.now - last >= rule.cool_down.0, "{} after {last}", run.now);
                        }
                        last = Some(run.now);
                    }
                }
            }
        }
    }

    #[test]
    fn a_constant_demand_comes_to_rest_with_room_for_all_of_it(
        rule in rule(), before in history(), demand in 0i64..40_000,
    ) {
        let mut run = Run::new(rule);
        for (demand, stuck, supply, times) in before {
            for _ in 0..times {
                run.now += 1_000;
                run.look(demand, stuck, supply);
            }
        }
        // It grows at once, then shrinks by single steps, then rests.
        let supply = i64::MAX / 4;
        run.now += 1_000;
        run.look(demand, false, supply);
        prop_assert!(run.held >= demand.min(rule.maximum[GPU]), "{} for {demand}", run.held);
        let mut changes = 0;
        let steps = run.held / rule.step[GPU] + 2;
        for _ in 0..steps {
            run.now += rule.cool_down.0.max(1_000);
            prop_assert!(!matches!(run.look(demand, false, supply), Step::Out { .. }), "it grows again");
            run.now += rule.cool_down.0;
            prop_assert!(!matches!(run.look(demand, false, supply), Step::Out { .. }), "it grows again");
        }
        for _ in 0..300 {
            run.now += 1_000;
            changes += u32::from(run.look(demand, false, supply) != Step::Stay);
        }
        prop_assert_eq!(changes, 0, "it does not rest");
    }
}
