//! Price books.

use super::super::answer::{Answer, Answered, read};
use super::super::app::App;
use super::super::change::{Change, Made};
use super::super::extract::{Json, Named, Params, is_about};
use super::{DryRunParams, PageParams, page};
use crate::core::deck::Deck;
use crate::core::world::World;
use crate::tariff;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use tidegate_api::bill::{NewPriceBook, PriceBook, PriceBookList, PriceBookSpec};
use tidegate_api::limits::{MAX_PRICE_BOOKS, MAX_PRICE_VERSIONS};
use tidegate_api::problem::{Code, Problem};
use tidegate_api::time::Time;
use tidegate_billing::Record;
use tidegate_billing::business::Versioned;
use tidegate_billing::price::{PriceBook as Book, PriceBookId, PriceVersion};
use tidegate_engine::ids::Tick;
use tidegate_identity::Action;

pub fn missing(name: &str) -> Problem {
    Problem::new(Code::NotFound, format!("there is no price book {name}"))
        .hint("`tidegate price list` lists them")
}

/// The price book of this name; of none, the one that is called default, or the only one.
pub fn find<'a>(world: &'a World, name: Option<&str>) -> Result<&'a Versioned<Book>, Problem> {
    let business = &world.business;
    if let Some(name) = name {
        return business.book_named(name).ok_or_else(|| missing(name));
    }
    let mut books = business.books();
    let only = books.next().filter(|_| books.next().is_none());
    business.book_named("default").or(only).ok_or_else(|| {
        let names: Vec<&str> = business.books().map(|book| &*book.record.name).collect();
        let (detail, hint) = match names.is_empty() {
            true => ("there is no price book".into(), "`tidegate price create` makes one"),
            false => (format!("there are the price books {}", names.join(", ")), "say which"),
        };
        Problem::new(Code::NotFound, detail).hint(hint)
    })
}

fn made(deck: &Deck<'_>, status: StatusCode, id: PriceBookId) -> Result<Made<PriceBook>, Problem> {
    let book =
        deck.world().business.book(id).ok_or_else(|| Problem::new(Code::NotFound, "the book is gone"))?;
    let body = tariff::shown(book, deck.now())?;
    Ok(Made { status, version: Some(book.version.to_string()), body })
}

/// List price books.
#[utoipa::path(get, path = "/api/v1/prices", tag = "prices", params(PageParams),
    responses((status = 200, body = PriceBookList), (status = "default", body = Problem)))]
pub async fn list(State(app): State<App>, Params(params): Params<PageParams>) -> Answered<PriceBookList> {
    let page = page(params.limit, params.page_token.as_deref())?;
    let outcome = app.control.read(|world, now| {
        let (books, next_page_token) = page.cut(world.business.books());
        let items = books.into_iter().map(|book| tariff::shown(book, now)).collect::<Result<_, _>>()?;
        Ok(PriceBookList { items, next_page_token })
    });
    read(outcome.await).map(Answer::new)
}

/// Show a price book, with all of its versions.
#[utoipa::path(get, path = "/api/v1/prices/{name}", tag = "prices", params(("name" = String, Path, description = "The price book")),
    responses((status = 200, body = PriceBook), (status = "default", body = Problem)))]
pub async fn get(State(app): State<App>, Named(name): Named) -> Answered<PriceBook> {
    let outcome = app.control.read(|world, now| {
        let book = find(world, Some(&name))?;
        Ok((tariff::shown(book, now)?, book.version.to_string()))
    });
    let (body, version) = read(outcome.await)?;
    Ok(Answer { body, version: Some(version) })
}

/// Make a price book. Its first prices may hold from a time in the past: nothing was charged by it yet.
#[utoipa::path(post, path = "/api/v1/prices", tag = "prices", params(DryRunParams), request_body = NewPriceBook,
    responses((status = 201, body = PriceBook), (status = "default", body = Problem)))]
pub async fn create(State(app): State<App>, change: Change, body: Json<NewPriceBook>) -> Response {
    let new = body.value;
    change
        .carry_out(&app, "price.create", body.sent, move |deck, change| {
            change.platform(deck, Action::PriceUpdate)?;
            let id = create_on(deck, &new)?;
            made(deck, StatusCode::CREATED, id)
        })
        .await
}

pub(super) fn create_on(deck: &mut Deck<'_>, new: &NewPriceBook) -> Result<PriceBookId, Problem> {
    let (business, name) = (&deck.world().business, new.metadata.name.as_str());
    if business.book_named(name).is_some() {
        let detail = format!("there is a price book {name} already");
        return Err(Problem::new(Code::NameTaken, detail).at("/metadata/name"));
    }
    if business.books().count() >= MAX_PRICE_BOOKS {
        let detail = format!("there are {MAX_PRICE_BOOKS} price books, no more can be");
        return Err(Problem::new(Code::LimitExceeded, detail));
    }
    let now = deck.now();
    let book = Book {
        id: business.next_book(),
        name: name.into(),
        currency: tariff::currency(&new.spec)?,
        versions: vec![version(deck, &new.spec, now)?],
        created: now,
    };
    let id = book.id;
    deck.put_business(None, Some(Record::PriceBook(book)));
    Ok(id)
}

fn version(deck: &Deck<'_>, spec: &PriceBookSpec, now: Tick) -> Result<PriceVersion, Problem> {
    let tariffs = tariff::tariffs(spec, &deck.world().engine)?;
    Ok(PriceVersion { from: spec.valid_from.map_or(now, Time::tick), set: now, tariffs })
}

/// Give a price book other prices, from now or from a later time on. What was in force stays as it was.
#[utoipa::path(put, path = "/api/v1/prices/{name}", tag = "prices", request_body = NewPriceBook,
    params(("name" = String, Path, description = "The price book"), DryRunParams,
        ("If-Match" = String, Header, description = "The version that is changed, or *")),
    responses((status = 200, body = PriceBook), (status = "default", body = Problem)))]
pub async fn put(
    State(app): State<App>,
    Named(name): Named,
    change: Change,
    body: Json<NewPriceBook>,
) -> Response {
    let new = body.value;
    change
        .carry_out(&app, "price.set", body.sent, move |deck, change| {
            change.platform(deck, Action::PriceUpdate)?;
            let present = find(deck.world(), Some(&name))?;
            change.must_match(present.version)?;
            is_about(&new.metadata.name, &name, "/metadata/name")?;
            let id = present.record.id;
            set_on(deck, id, &new.spec)?;
            made(deck, StatusCode::OK, id)
        })
        .await
}

/// Whether anything changed.
pub(super) fn set_on(deck: &mut Deck<'_>, id: PriceBookId, spec: &PriceBookSpec) -> Result<bool, Problem> {
    let now = deck.now();
    let gone = || Problem::new(Code::NotFound, "the price book is gone");
    let before = deck.world().business.book(id).ok_or_else(gone)?.record.clone();
    if tariff::currency(spec)? != before.currency {
        let detail = format!(
            "{} counts in {} with {} decimals",
            before.name, before.currency.code, before.currency.decimals
        );
        return Err(Problem::new(Code::ImmutableField, detail)
            .at("/spec/currency")
            .hint("make another price book"));
    }
    let version = version(deck, spec, now)?;
    // The same prices again are no change: whoever applies a manifest twice does no harm.
    let at = spec.valid_from.map_or(now, Time::tick).max(before.versions[0].from);
    let in_force = before.version_at(at).ok();
    let said = spec.valid_from.is_none() || in_force.is_some_and(|found| found.from == version.from);
    if said && in_force.is_some_and(|found| found.tariffs == version.tariffs) {
        return Ok(false);
    }
    if before.versions.len() >= MAX_PRICE_VERSIONS {
        let detail = format!("the price book has {MAX_PRICE_VERSIONS} versions, no more can be");
        return Err(Problem::new(Code::LimitExceeded, detail));
    }
    let after = before.with(version, now).map_err(|past| {
        let detail = format!(
            "prices from {} on would change what was charged until {}",
            Time::of(past.from),
            Time::of(past.now)
        );
        Problem::new(Code::ImmutableField, detail)
            .at("/spec/validFrom")
            .hint("new prices hold from now on, or from later")
    })?;
    deck.put_business(Some(Record::PriceBook(before)), Some(Record::PriceBook(after)));
    Ok(true)
}
