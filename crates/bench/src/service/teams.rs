//! What it costs to know who asks and what they may, and a page of what somebody sees among very much.

use super::attempt;
use super::client::{Connection, request};
use super::house::{House, clients, directory};
use crate::bench::{Bench, spread};
use crate::clock::Start;
use crate::samples::{Samples, thousands};
use crate::table::Measure;
use std::io;
use tidegate_engine::Command;
use tidegate_engine::ids::{MemberId, QuotaId, Tick, WorkloadId, WorkspaceId};
use tidegate_identity::record::{Member, Token, TokenId, TokenKind, User, UserKind, Workspace};
use tidegate_identity::role::BuiltIn;
use tidegate_identity::{Action, Record, Resource, may};
use tidegate_server::core::control::Unavailable;
use tidegate_server::core::entry::Origin;
use tidegate_server::http::auth::Caller;
use tidegate_server::token::TokenHash;

const USERS: u32 = 10_000;
const ROOMS: u32 = 1_000;
/// Workloads of one request.
const BATCH: u32 = 1_000;
/// Nanoseconds that it may add to a request to know who asks, and whether they may.
const MOST: f64 = 5_000.0;
/// How much longer a page may take among all workloads than among few.
const TIMES: f64 = 2.0;

pub fn run(bench: &mut Bench) {
    attempt(bench, "teams", measure);
}

fn secret(user: u32) -> String {
    format!("tgt_{user:064}")
}

/// Ten users and a quota for each workspace; each user has a token.
fn everybody() -> Vec<Record> {
    let at = Tick(1);
    let rooms = (1..=ROOMS).map(|n| {
        Record::Workspace(Workspace {
            id: WorkspaceId(n),
            name: format!("room-{n}").into(),
            description: "".into(),
            quotas: vec![QuotaId(0)],
            default_quota: None,
            created: at,
        })
    });
    let users = (1..=USERS).flat_map(move |n| {
        let user = User {
            id: MemberId(n),
            name: format!("user-{n}").into(),
            kind: UserKind::Person,
            platform_admin: false,
            disabled: false,
            password: None,
            provider: None,
            created: at,
        };
        let (workspace, role) = (WorkspaceId(1 + n % ROOMS), BuiltIn::Developer.id());
        let token = Token {
            id: TokenId(n),
            user: user.id,
            name: "".into(),
            kind: TokenKind::Bearer,
            hash: TokenHash::of(&secret(n)).0,
            scope: None,
            created: at,
            expires: None,
            last_used: Some(Tick(u64::MAX)),
        };
        let member = Member { workspace, user: user.id, role, since: at };
        [Record::User(user), Record::Member(member), Record::Token(token)]
    });
    rooms.chain(users).collect()
}

fn measure(bench: &mut Bench) -> io::Result<()> {
    bench.progress(&format!(
        "teams: {} users in {} workspaces",
        thousands(USERS.into()),
        thousands(ROOMS.into())
    ));
    let data = directory()?;
    let house = House::open(data.path(), "1000x8")?;
    furnish(&house)?;
    rights(bench, &house);
    pages(bench, &house, When::Now)?;
    drop(house);
    let data = directory()?;
    let house = House::open_with(data.path(), "1000x8", |config| {
        config.retain_ended = "0s".parse().expect("a duration");
    })?;
    furnish(&house)?;
    pages(bench, &house, When::Past)
}

fn furnish(house: &House) -> io::Result<()> {
    let written = house.control.write_blocking(Origin::new("admin", "bench"), |deck| {
        everybody().into_iter().for_each(|record| deck.put(None, Some(record)));
    });
    written.map_err(failed)
}

fn failed(why: Unavailable) -> io::Error {
    io::Error::other(format!("{why:?}"))
}

/// From the bytes of a token to the verdict on one workload.
fn rights(bench: &mut Bench, house: &House) {
    let admin = TokenHash::of(&house.token);
    let mut samples = Samples::default();
    let mut user = 1;
    for _ in 0..bench.samples(20_000) {
        // Far from the last one: nobody asks twice in a row.
        user = (user * 7_919) % USERS + 1;
        let (token, workspace) = (secret(user), WorkspaceId(1 + user % ROOMS));
        let start = Start::now();
        let people = house.control.people();
        let caller = Caller::of(&people, &admin, &token, Tick(2));
        let allowed = caller.is_some_and(|caller| {
            let thing = Resource::Workload { workspace, owner: MemberId(1), private: false };
            may(&people, &caller.who, Action::WorkloadRead, thing).is_allowed()
        });
        samples.push(start.nanoseconds());
        assert!(allowed, "user {user} is a developer there");
    }
    bench.table.row(
        format!(
            "who asks, and may they: {} users, {} workspaces",
            thousands(USERS.into()),
            thousands(ROOMS.into())
        ),
        spread(&samples),
        Measure::target("", "p50 <= 5 us", samples.p50() <= MOST),
    );
}

/// Where the workloads are that are listed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    /// They run or wait, in memory.
    Now,
    /// They have ended and left memory for the store.
    Past,
}

/// A page of 100 of what a developer of one workspace sees.
fn pages(bench: &mut Bench, house: &House, when: When) -> io::Result<()> {
    let many: u32 = if bench.quick { 20_000 } else { 100_000 };
    let runtime = clients()?;
    let mut connection = runtime.block_on(Connection::open(house.address))?;
    // Others lie over all that the developer sees: of other workspaces, and private ones in its own.
    let mut submit = |first: u32| -> io::Result<()> {
        let one = |number: u32| {
            let (room, visibility) = match (number < BATCH, number % 2) {
                (true, _) => (1, "public"),
                (false, 0) => (1, "private"),
                (false, _) => (2 + number % (ROOMS - 1), "public"),
            };
            let spec = format!(
                r#"{{"quota":"main","workspace":"room-{room}","visibility":"{visibility}","resources":{{"gpu":1}},"gracePeriod":"0s"}}"#
            );
            format!(r#"{{"metadata":{{"name":"train-{number}"}},"spec":{spec}}}"#)
        };
        let items: Vec<String> = (first..first + BATCH).map(one).collect();
        let body = format!(r#"{{"items":[{}]}}"#, items.join(","));
        let bytes = request("POST", "/api/v1/workloads:batch", &house.token, "", &body);
        runtime.block_on(connection.ask(&bytes))?;
        if when == When::Past { leave(house) } else { Ok(()) }
    };
    let mut taken = Vec::new();
    let mut submitted = 0;
    for upto in [BATCH, many] {
        while submitted < upto {
            bench.progress(&format!("teams: {} workloads", thousands(submitted.into())));
            submit(submitted)?;
            submitted += BATCH;
        }
        let mut samples = Samples::default();
        let token = secret(ROOMS);
        let mut reader = runtime.block_on(Connection::open(house.address))?;
        let page = match when {
            When::Now => "/api/v1/workloads?past=false&limit=100",
            When::Past => "/api/v1/workloads?limit=100",
        };
        let page = request("GET", page, &token, "", "");
        for _ in 0..bench.samples(50) {
            let start = Start::now();
            runtime.block_on(reader.ask(&page))?;
            samples.push(start.nanoseconds());
        }
        taken.push(samples);
    }
    let [few, all] = &taken[..] else { return Ok(()) };
    let what = if when == When::Past { "past workloads" } else { "workloads" };
    bench.table.row(
        format!("a developer's page of 100 among {} {what}", thousands(many.into())),
        spread(all),
        Measure::target(
            format!("among {} of its own {}", thousands(BATCH.into()), spread(few)),
            format!("p50 <= {TIMES} x"),
            all.p50() <= TIMES * few.p50(),
        ),
    );
    Ok(())
}

/// Stops everything, and waits until it has left memory: some do with each turn of the writer.
fn leave(house: &House) -> io::Result<()> {
    let turn = |stop: bool| {
        let written = house.control.write_blocking(Origin::new("admin", "bench"), move |deck| {
            let ids: Vec<WorkloadId> = deck.world().engine.workloads().map(|w| w.id).collect();
            if stop {
                for workload in &ids {
                    deck.command(Command::Stop { workload: *workload }).map_err(|why| why.what())?;
                }
            }
            Ok(ids.is_empty())
        });
        written.map_err(failed)?.map_err(io::Error::other::<String>)
    };
    turn(true)?;
    while !turn(false)? {}
    Ok(())
}
