//! A thread that nothing works without panics: the server ends, says which one it was, and starts again from its log.

use super::faulty::Faulty;
use super::house::House;
use super::work;
use std::sync::atomic::{AtomicBool, Ordering};
use tidegate_server::core::control::Unavailable;
use tidegate_server::core::entry::Origin;
use tidegate_server::serve::{Broken, Ground};
use tidegate_store::{Entry, SqliteStore, Store, StoreError};

#[test]
fn a_panic_of_the_writer_ends_the_server() {
    let mut house = House::new("1x8");
    assert_eq!(house.post("/api/v1/workloads", &work("kept")).0, 201);
    let control = house.control().clone();
    let origin = Origin::new("test", "panic");
    let asked = house.runtime().block_on(control.write(origin, |_| panic!("a defect")));
    assert!(asked.is_err(), "whoever asked is told");
    drop(control);
    assert_eq!(house.broken(), Broken { thread: "writer" });
    house.open();
    assert_eq!(house.get("/api/v1/workloads/kept").1["status"]["state"], "running");
}

#[test]
fn a_panic_of_a_preview_is_told_and_touches_nothing() {
    let house = House::new("1x8");
    let origin = Origin::new("test", "panic");
    let asked = house.runtime().block_on(house.control().preview(origin, |_| panic!("a defect")));
    assert_eq!(asked.map(|((), _)| ()), Err(Unavailable::Defect));
    assert_eq!(house.post("/api/v1/workloads", &work("next")).0, 201);
}

/// Set while the store of a server is to panic.
static TREACHEROUS: AtomicBool = AtomicBool::new(false);

fn treacherous(store: &mut SqliteStore, group: &[Entry<'_>]) -> Result<(), StoreError> {
    assert!(!TREACHEROUS.load(Ordering::SeqCst), "a defect");
    store.append(group)
}

#[test]
fn a_panic_of_the_journal_ends_the_server() {
    let ground =
        || Ground { store: Box::new(|store| Box::new(Faulty(store, treacherous))), ..Ground::default() };
    let mut house = House::on("1x8", |_| (), ground);
    assert_eq!(house.post("/api/v1/workloads", &work("kept")).0, 201);
    TREACHEROUS.store(true, Ordering::SeqCst);
    let control = house.control().clone();
    let asked = house.runtime().block_on(control.write(Origin::new("test", "submit"), |deck| {
        let kind = tidegate_engine::words::PoolKind::General;
        deck.command(tidegate_engine::Command::CreatePool { name: "lost".into(), kind }).is_ok()
    }));
    assert!(asked.is_err(), "what is not durable is not acknowledged");
    drop(control);
    assert_eq!(house.broken(), Broken { thread: "journal" });
    TREACHEROUS.store(false, Ordering::SeqCst);
    house.open();
    assert_eq!(house.get("/api/v1/workloads/kept").0, 200);
    assert_eq!(house.get("/api/v1/pools/lost").0, 404);
}
