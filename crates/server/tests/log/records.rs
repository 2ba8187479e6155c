//! Records beside the engine's events: people, and what bills need.

use std::collections::BTreeMap;
use tidegate_billing::Record as Business;
use tidegate_billing::budget::Budget;
use tidegate_billing::charge::Quantity;
use tidegate_billing::dedicated::{
    ByUsage, Hold, RequestState, ResourceConfig, ResourceRequest, Terms, When,
};
use tidegate_billing::money::{Currency, Money, Price};
use tidegate_billing::price::{Discount, Mode, PriceBook, PriceVersion, Resource, Tariff};
use tidegate_billing::record::{Compute, ComputeKind, Correction};
use tidegate_billing::recurrence::{Clock, Day, Days, Recurrence};
use tidegate_billing::template::{TaskLimits, Template, TemplateVersion, Warm};
use tidegate_engine::ids::{MemberId, ModelId, QuotaId, Span, Tick, WorkloadId, WorkspaceId};
use tidegate_engine::resources::{Dimension, Resources, Shape};
use tidegate_engine::words::Class;
use tidegate_identity::Record;
use tidegate_identity::record::Workspace;
use tidegate_server::core::deck::Deck;

/// Kinds of changes.
const KINDS: u32 = 9;

/// Changes a record of each kind in turn.
pub(crate) fn change(deck: &mut Deck<'_>, number: u32) {
    let name = format!("n{number}").into_boxed_str();
    let (business, now) = (deck.world().business.clone(), deck.now());
    let turn = number / 15;
    match turn % KINDS {
        0 => {
            let book = PriceBook {
                id: business.next_book(),
                name,
                currency: Currency::new("EUR", 2).expect("a currency"),
                versions: vec![version(now, number)],
                created: now,
            };
            deck.put_business(None, Some(Business::PriceBook(book)));
        }
        1 => {
            let Some(before) = business.books().next_back().map(|book| book.record.clone()) else { return };
            let after = before.with(version(now, number), now).expect("it is not in the past");
            deck.put_business(Some(Business::PriceBook(before)), Some(Business::PriceBook(after)));
        }
        2 => {
            let template = Template {
                id: business.next_template(),
                name,
                workspace: Some(WorkspaceId(0)),
                description: "resizes".into(),
                versions: vec![template_version(now)],
                aliases: BTreeMap::from([("stable".into(), 1)]),
                created: now,
            };
            deck.put_business(None, Some(Business::Template(template)));
        }
        3 => {
            let mark =
                |quota: QuotaId| Business::Compute(Compute { quota, kind: ComputeKind::Shared, since: now });
            match business.shared().next() {
                Some(quota) => {
                    let before = business.compute(quota).copied().map(Business::Compute);
                    deck.put_business(before, None);
                }
                None => deck.put_business(None, Some(mark(QuotaId(1)))),
            }
        }
        4 => {
            let correction = Correction {
                id: business.next_correction(),
                made: now,
                by: MemberId(0),
                reason: "a test".into(),
                at: now,
                workspace: WorkspaceId(0),
                user: MemberId(0),
                workload: Some(WorkloadId(0)),
                account: QuotaId(0),
                mode: Mode::Quota,
                resource: Resource::Gpu("H100".into()),
                class: Class::Firm,
                quantity: Quantity(-(1 << 80)),
            };
            deck.put_business(None, Some(Business::Correction(correction)));
        }
        5 => {
            let request = ResourceRequest {
                id: business.next_request(),
                workspace: WorkspaceId(0),
                by: MemberId(0),
                made: now,
                supply: QuotaId(0),
                terms: terms(now, turn / KINDS),
                reason: "a test".into(),
                lend: number.is_multiple_of(2),
                cap: 80,
                state: RequestState::Pending,
            };
            deck.put_business(None, Some(Business::ResourceRequest(request)));
        }
        6 => {
            let pending = |request: &&ResourceRequest| request.state == RequestState::Pending;
            let requests = business.requests().map(|request| &request.record);
            let Some(before) = requests.rev().find(pending).cloned() else { return };
            let config = ResourceConfig {
                id: business.next_config(),
                request: before.id,
                workspace: before.workspace,
                by: before.by,
                made: now,
                supply: before.supply,
                quota: QuotaId(1_000 + before.id.0),
                terms: before.terms.clone(),
                lend: before.lend,
                cap: before.cap,
                hold: Some(Hold { amount: before.terms.most(), since: now, until: None }),
                settled: now,
                ended: None,
            };
            let state =
                RequestState::Approved { config: config.id, by: MemberId(0), at: now, note: "".into() };
            let after = ResourceRequest { state, ..before.clone() };
            deck.put_business(
                Some(Business::ResourceRequest(before)),
                Some(Business::ResourceRequest(after)),
            );
            deck.put_business(None, Some(Business::ResourceConfig(config)));
        }
        7 => {
            let Some(book) = business.books().next_back().map(|book| book.record.id) else { return };
            let before = business.budget(WorkspaceId(0)).map(|budget| budget.record.clone());
            let after = Budget {
                workspace: WorkspaceId(0),
                book,
                amount: Money(1_000),
                stop: turn.is_multiple_of(2),
                set: now,
                by: MemberId(0),
                spent: None,
            };
            let after = after.looked(now, Money((number * 10).into())).unwrap_or(after);
            deck.put_business(before.map(Business::Budget), Some(Business::Budget(after)));
        }
        _ => {
            let room = Workspace {
                id: deck.world().people.next_workspace(),
                name,
                description: "".into(),
                quotas: Vec::new(),
                default_quota: None,
                created: now,
            };
            deck.put(None, Some(Record::Workspace(room)));
        }
    }
}

/// A recurring reservation first, then the others.
fn terms(now: Tick, round: u32) -> Terms {
    let some = Resources::of(Dimension::gpu(ModelId(0)), 1_000);
    let weekly = Recurrence {
        days: Days::parse(&["mon", "fri"]).expect("days"),
        from: Clock::parse("22:00").expect("a time"),
        to: Clock::parse("06:00").expect("a time"),
        zone: "Europe/Berlin".into(),
        first: Day::parse("2027-03-01").expect("a date"),
        last: Day::parse("2027-04-01").expect("a date"),
    };
    match round % 3 {
        0 => {
            let periods = weekly.occurrences().expect("periods");
            Terms::Reserved { size: some, when: When::Weekly { rule: weekly, periods } }
        }
        2 => Terms::Reserved { size: some, when: When::Once { start: now, end: now.after(Span::hours(1)) } },
        _ => Terms::ByUsage(Box::new(ByUsage {
            threshold: 80,
            wait: Span::seconds(10),
            step: some,
            minimum: Resources::default(),
            maximum: some,
            cool_down: Span::minutes(5),
            until: None,
        })),
    }
}

fn version(from: Tick, price: u32) -> PriceVersion {
    let tariff = Tariff {
        gpu: BTreeMap::from([("H100".into(), Price(price.into()))]),
        cpu: Some(Price(1)),
        memory: None,
        idle_discount: Discount(50_000),
    };
    PriceVersion { from, set: from, tariffs: BTreeMap::from([(Mode::Shared, tariff)]) }
}

fn template_version(created: Tick) -> TemplateVersion {
    TemplateVersion {
        number: 1,
        created,
        by: MemberId(0),
        command: vec!["convert".into()],
        env: BTreeMap::from([("A".into(), "b".into())]),
        shape: Shape::with_gpu(500),
        models: vec!["H100".into()],
        input_schema: Some("{}".into()),
        limits: TaskLimits { max_run: Some(Span::minutes(1)), retries: 1, output: 1 << 20, files: 0 },
        warm: Some(Warm { workers: 2, idle: Span::minutes(5), tasks: Some(9), start: Span::minutes(1) }),
    }
}
