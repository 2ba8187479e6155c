//! Budgets: what workspaces have spent of them, looked at once a minute.
//!
//! What was found is a record in the log, where it makes a difference: people are told of it from there, and tasks are
//! refused by it, so that a submission waits for no sum.

use crate::core::control::Control;
use crate::core::entry::Origin;
use crate::core::world::World;
use crate::meter::{Behind, Kind, Meter, Tally, Wanted};
use crate::tariff;
use std::collections::{BTreeMap, BTreeSet};
use tidegate_api::problem::{Code, Problem};
use tidegate_api::time::Time;
use tidegate_billing::Record;
use tidegate_billing::budget::{Budget, month};
use tidegate_billing::charge::Quantity;
use tidegate_billing::money::Money;
use tidegate_billing::price::{Mode, PriceBookId};
use tidegate_billing::record::Correction;
use tidegate_billing::statement::{About, borders, part_at, statement};
use tidegate_engine::ids::{Span, Tick, WorkspaceId};

/// How often it is asked what time it is, and by that time how often it is looked.
const TURN: std::time::Duration = std::time::Duration::from_millis(500);
const LOOK: Span = Span::minutes(1);

/// What a line of a statement is about, for use that was metered.
pub fn about(kind: &Kind) -> About {
    About {
        workspace: kind.workspace,
        mode: kind.mode,
        config: kind.config,
        quota: kind.borrower,
        resource: kind.resource.clone(),
        class: kind.class,
        correction: None,
    }
}

/// A correction as a line of its own, in the part of the period that holds its time.
pub fn corrected(world: &World, cuts: &[Tick], one: &Correction) -> (About, usize, Quantity) {
    let about = About {
        workspace: one.workspace,
        mode: one.mode,
        config: world.business.config_of(one.account).map(|config| config.record.id),
        quota: one.account,
        resource: one.resource.clone(),
        class: one.class,
        correction: Some(one.id),
    };
    (about, part_at(cuts, one.at), one.quantity)
}

/// What workspaces have to pay for this month so far, by their budgets' books. An error where something has no price.
pub type Dues = BTreeMap<WorkspaceId, Result<Money, Problem>>;

/// Adds up what some workspaces have spent this month. Waits for the disk.
pub fn dues(
    control: &Control,
    meter: &Meter,
    rooms: &BTreeSet<WorkspaceId>,
    now: Tick,
) -> Result<Dues, Behind> {
    let books: BTreeMap<PriceBookId, Vec<WorkspaceId>> = control.read_blocking(|world| {
        let mut books: BTreeMap<PriceBookId, Vec<WorkspaceId>> = BTreeMap::new();
        for budget in world.business.budgets().filter(|budget| rooms.contains(&budget.record.workspace)) {
            books.entry(budget.record.book).or_default().push(budget.record.workspace);
        }
        books
    });
    let (from, _) = month(now);
    let mut dues = Dues::new();
    for (id, rooms) in books {
        let Some(book) =
            control.read_blocking(|world| world.business.book(id).map(|book| book.record.clone()))
        else {
            continue;
        };
        let end = Tick(now.0.max(from.0 + 1));
        let cuts = borders(&book, from, end);
        // Showback is due to nobody, and need not have a price.
        let pick =
            |kind: &Kind| kind.is_charged() && kind.mode != Mode::Quota && rooms.contains(&kind.workspace);
        let tally = meter.tally(&Wanted { borders: &cuts, pick: &pick, workload: None })?;
        for room in rooms {
            let used = control.read_blocking(|world| used(world, room, &cuts, &tally));
            let due = statement(&book, &cuts, used).map(|statement| statement.due);
            dues.insert(room, due.map_err(|why| tariff::no_price(&book, why)));
        }
    }
    Ok(dues)
}

/// What a workspace has used, with corrections.
fn used(world: &World, room: WorkspaceId, cuts: &[Tick], tally: &Tally) -> Vec<(About, usize, Quantity)> {
    let of_room = tally.sums.iter().filter(|((kind, _), _)| kind.workspace == room);
    let metered = of_room.map(|((kind, part), quantity)| (about(kind), *part, *quantity));
    let within = |at: Tick| cuts.first() <= Some(&at) && Some(&at) < cuts.last();
    let counts = |one: &&Correction| one.workspace == room && one.mode != Mode::Quota && within(one.at);
    let corrections = world.business.corrections().filter(counts);
    metered.chain(corrections.map(|one| corrected(world, cuts, one))).collect()
}

/// Looks for ever.
pub async fn look_after(control: Control, meter: Meter) {
    let mut last = None;
    loop {
        tokio::time::sleep(TURN).await;
        let now = control.clock().now();
        if last.is_some_and(|last: Tick| now.since(last) < LOOK) {
            continue;
        }
        last = Some(now);
        let rooms: BTreeSet<WorkspaceId> = control
            .read_blocking(|world| world.business.budgets().map(|budget| budget.record.workspace).collect());
        if rooms.is_empty() {
            continue;
        }
        let (asked, metered) = (control.clone(), meter.clone());
        let found = tokio::task::spawn_blocking(move || dues(&asked, &metered, &rooms, now)).await;
        match found {
            Ok(Ok(dues)) => note(&control, dues, now).await,
            Ok(Err(why)) => tracing::warn!(%why, "budgets are not looked at: use cannot be told at present"),
            Err(_) => return,
        }
    }
}

/// Writes down what makes a difference.
async fn note(control: &Control, dues: Dues, now: Tick) {
    for (room, due) in dues {
        let due = match due {
            Ok(due) => due,
            Err(problem) => {
                tracing::warn!(
                    workspace = room.0,
                    why = problem.detail,
                    "what is spent of a budget is unknown"
                );
                continue;
            }
        };
        let differs = |world: &World| world.business.budget(room)?.record.looked(now, due);
        if control.read_blocking(differs).is_none() {
            continue;
        }
        let noted = control.write(Origin::new("system", "budget.alert"), move |deck| {
            // It may have been set anew meanwhile.
            let before = deck.world().business.budget(room)?.record.clone();
            let after = before.looked(now, due)?;
            deck.put_business(Some(Record::Budget(before)), Some(Record::Budget(after)));
            Some(())
        });
        // The next look tries again.
        let _ = noted.await;
    }
}

/// Whether a workspace may begin a task on shared compute.
pub fn allows(world: &World, room: WorkspaceId, now: Tick) -> Result<(), Problem> {
    let Some(budget) = world.business.budget(room).map(|budget| &budget.record) else { return Ok(()) };
    let Some(spent) = budget.exhausted(now) else { return Ok(()) };
    let (_, next) = month(now);
    let written = |money: Money| written(world, budget, money);
    let detail = format!(
        "{} has spent {} of its {} for this month, and nothing begins on shared compute until {}",
        world.room_name(room),
        written(spent.due),
        written(budget.amount),
        Time::of(next)
    );
    Err(Problem::new(Code::BudgetExhausted, detail))
}

/// An amount in the currency of a budget.
pub fn written(world: &World, budget: &Budget, money: Money) -> String {
    match world.business.book(budget.book) {
        Some(book) => {
            let currency = &book.record.currency;
            format!("{} {}", currency.written(money), currency.code)
        }
        None => money.0.to_string(),
    }
}
