//! Dedicated compute that comes and goes, and what each config has held: the truth that the meter is compared with.

use super::history::Dice;
use std::collections::BTreeMap;
use tidegate_billing::Record;
use tidegate_billing::dedicated::{ByUsage, ConfigId, Hold, RequestId, ResourceConfig, Terms, When};
use tidegate_engine::ids::{MemberId, ModelId, QuotaId, Span, Tick, WorkspaceId};
use tidegate_engine::resources::{Dimension, Resources};
use tidegate_server::core::control::Control;
use tidegate_server::core::entry::Origin;

/// So much, from when, until when: as it was agreed, and not as the books changed.
type Stretch = (i64, Tick, Option<Tick>);

pub(crate) struct Landlord {
    dice: Dice,
    /// Of each config, in order; none overlap.
    held: BTreeMap<ConfigId, Vec<Stretch>>,
}

fn gpus(milli: i64) -> Resources {
    Resources::of(Dimension::gpu(ModelId(0)), milli)
}

impl Landlord {
    pub(crate) fn new(seed: u64) -> Landlord {
        Landlord { dice: Dice(seed), held: BTreeMap::new() }
    }

    /// Whether a config is one of this landlord's.
    pub(crate) fn knows(&self, id: ConfigId) -> bool {
        self.held.contains_key(&id)
    }

    /// What every config has held up to now, in thousandths of a GPU times milliseconds.
    pub(crate) fn held(&self, now: Tick) -> BTreeMap<ConfigId, i128> {
        let area = |(amount, from, to): &Stretch| {
            let to = to.map_or(now, |to| to.min(now));
            i128::from(*amount) * i128::from(to.since(*from).0)
        };
        let all = self.held.iter().map(|(id, stretches)| (*id, stretches.iter().map(area).sum()));
        all.filter(|(_, sum)| *sum != 0).collect()
    }

    /// A config is made, or what one holds changes.
    pub(crate) fn step(&mut self, control: &Control) {
        let now = control.clock().now();
        let configs: Vec<ResourceConfig> = control
            .read_blocking(|world| world.business.configs().map(|config| config.record.clone()).collect());
        let mine: Vec<&ResourceConfig> = configs.iter().filter(|c| self.held.contains_key(&c.id)).collect();
        let (before, mut after) = match mine.len() as u64 {
            count if count < 6 || self.dice.roll(20) == 0 => {
                let id = ConfigId(configs.iter().map(|config| config.id.0 + 1).max().unwrap_or_default());
                self.held.insert(id, Vec::new());
                (None, config(id, self.dice.roll(2) == 0, now))
            }
            count => {
                let old = mine[self.dice.roll(count) as usize];
                (Some(old.clone()), old.clone())
            }
        };
        let origin = Origin::new("admin", "landlord");
        // Time may go on meanwhile: what is done is done at the time of the change.
        let dice = self.dice;
        let done = control.write_blocking(origin, move |deck| {
            let mut dice = dice;
            let now = deck.now();
            after.hold = match after.terms {
                Terms::ByUsage(_) => by_usage(&mut dice, now, after.hold),
                Terms::Reserved { .. } => reserved(&mut dice, now, after.hold),
            };
            let new = after.clone();
            deck.put_business(
                before.clone().map(Record::ResourceConfig),
                Some(Record::ResourceConfig(after)),
            );
            (now, before.and_then(|config| config.hold), new, dice)
        });
        let (now, old, new, dice) = done.expect("the store takes it");
        self.dice = dice;
        self.note(now, old, &new);
    }

    /// Writes down what was agreed.
    fn note(&mut self, now: Tick, old: Option<Hold>, new: &ResourceConfig) {
        let stretches = self.held.entry(new.id).or_default();
        match (old, new.hold) {
            (Some(old), Some(hold)) if (old.since, old.amount) == (hold.since, hold.amount) => {
                if let Some(last) = stretches.last_mut() {
                    last.2 = hold.until;
                }
            }
            (old, hold) => {
                if let Some(last) = stretches.last_mut().filter(|_| old.is_some()) {
                    let end = hold.map_or(now, |hold| hold.since.max(now));
                    last.2 = Some(last.2.map_or(end, |to| to.min(end)));
                }
                stretches.extend(hold.map(|hold| (hold.amount.all_gpus(), hold.since, hold.until)));
            }
        }
    }
}

/// Grows, shrinks, or lets go, at once.
fn by_usage(dice: &mut Dice, now: Tick, old: Option<Hold>) -> Option<Hold> {
    let amount = dice.roll(5) as i64 * 1_000;
    let same = old.is_some_and(|old| old.amount.all_gpus() == amount);
    if same { old } else { (amount > 0).then_some(Hold { amount: gpus(amount), since: now, until: None }) }
}

/// Carved out ahead of time, in time or too late; extended; given back early or late; followed by the next period.
fn reserved(dice: &mut Dice, now: Tick, old: Option<Hold>) -> Option<Hold> {
    let later = |from: Tick, dice: &mut Dice| Some(from.after(Span::seconds(1 + dice.roll(90))));
    let Some(old) = old else {
        let since = now.after(Span::seconds([0, 0, 5, 60][dice.roll(4) as usize]));
        return Some(Hold { amount: gpus(2_000), since, until: later(since, dice) });
    };
    let until = old.until.unwrap_or(now);
    match (dice.roll(3), until <= now) {
        // The end has passed, and nobody has looked until now; perhaps the next period has begun already.
        (0, true) => {
            let since = Tick(until.0 + dice.roll(now.0 - until.0 + 1));
            Some(Hold { amount: gpus(3_000), since, until: later(now, dice) })
        }
        (_, true) => None,
        (0, false) => Some(Hold { until: later(until, dice), ..old }),
        // The next period is carved out before this one is over.
        (1, false) => Some(Hold { amount: gpus(1_000), since: until, until: later(until, dice) }),
        (_, false) => None,
    }
}

fn config(id: ConfigId, is_reserved: bool, now: Tick) -> ResourceConfig {
    let terms = match is_reserved {
        true => Terms::Reserved {
            size: gpus(2_000),
            when: When::Once { start: now, end: now.after(Span::hours(1)) },
        },
        false => Terms::ByUsage(Box::new(ByUsage {
            threshold: 80,
            wait: Span::seconds(10),
            step: gpus(1_000),
            minimum: Resources::default(),
            maximum: gpus(4_000),
            cool_down: Span::minutes(5),
            until: None,
        })),
    };
    ResourceConfig {
        id,
        request: RequestId(id.0),
        workspace: WorkspaceId(0),
        by: MemberId(0),
        made: now,
        supply: QuotaId(0),
        quota: QuotaId(2_000 + id.0),
        terms,
        lend: false,
        cap: 100,
        hold: None,
        settled: now,
        ended: None,
    }
}
