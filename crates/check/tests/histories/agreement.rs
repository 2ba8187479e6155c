//! The engine's books against the checker's.

use crate::history::*;
use tidegate_check::{Breach, Checker};
use tidegate_engine::engine::QuotaBooks;
use tidegate_engine::ids::QuotaId;
use tidegate_engine::resources::Resources;

/// A has 8 of R's 16, of which w1 draws 3.
fn history() -> Checker {
    let log = [pool(2), vec![root(R, 16, Default::default())], vec![child(A, R, 8, Default::default())]];
    passes(&log, &[run(1, training(A, 1, 3), &[grant(0, &[own(A, 3)], &[slot(0, 0, 3)])])])
}

fn books(quota: QuotaId, guarantee: i64, share: i64, own: i64) -> QuotaBooks {
    let none = Resources::default();
    QuotaBooks {
        quota,
        pool: POOL,
        parent: (quota != R).then_some(R),
        depth: u8::from(quota != R),
        guarantee: gpus(guarantee),
        share: gpus(share),
        drawn: [gpus(own), none, none, none],
        held: none,
        reserved: none,
        balance: gpus(share - own),
        in_transit: none,
        queued: 0,
        overdrawn: false,
    }
}

#[test]
fn books_that_follow_from_the_events_agree() {
    assert_eq!(history().check_books(&[books(R, 16, 8, 0), books(A, 8, 8, 3)]), Ok(()));
}

#[test]
fn every_figure_is_compared() {
    let check =
        |a: QuotaBooks| history().check_books(&[books(R, 16, 8, 0), a]).expect_err("it differs").to_string();
    assert_eq!(
        check(books(A, 9, 8, 3)),
        "at 3.000s: q1: the engine shows 9 GPUs guaranteed, its events say 8 GPUs"
    );
    assert_eq!(
        check(books(A, 8, 7, 3)),
        "at 3.000s: q1: the engine shows 7 GPUs of share, its events say 8 GPUs"
    );
    assert_eq!(check(books(A, 8, 8, 2)), "at 3.000s: q1: the engine shows 2 GPUs own, its events say 3 GPUs");
    let balance = QuotaBooks { balance: gpus(4), ..books(A, 8, 8, 3) };
    assert_eq!(check(balance), "at 3.000s: q1: the engine shows 4 GPUs of balance, its events say 5 GPUs");
    let overdrawn = QuotaBooks { overdrawn: true, ..books(A, 8, 8, 3) };
    assert!(check(overdrawn).contains("overdraft of q1"));
}

#[test]
fn gains_arrive_as_overdrafts_go() {
    let log = [pool(2), vec![root(R, 16, Default::default())], vec![child(A, R, 8, Default::default())]];
    let drained = [
        run(1, training(A, 1, 3), &[grant(0, &[own(A, 3)], &[slot(0, 0, 3)])]),
        vec![scaled(A, 8, 2), overdrawn(A, 1)],
    ];
    let checker = passes(&log, &drained);
    let a = QuotaBooks { overdrawn: true, ..books(A, 2, 2, 3) };
    let r = books(R, 16, 14, 0);
    let late = QuotaBooks { in_transit: gpus(1), balance: gpus(13), ..r.clone() };
    assert_eq!(checker.check_books(&[late, a.clone()]), Ok(()));
    let breach = checker.check_books(&[r, a]).expect_err("the gain is free too early").breach;
    assert!(matches!(breach, Breach::UsedInTransit { .. }));
}

#[test]
fn a_quota_that_is_left_out_or_counted_twice_is_found() {
    let breach = |books: &[QuotaBooks]| history().check_books(books).expect_err("it differs").breach;
    assert!(matches!(breach(&[books(R, 16, 8, 0)]), Breach::Unknown { .. }));
    let twice = [books(R, 16, 8, 0), books(A, 8, 8, 3), books(A, 8, 8, 3)];
    assert!(matches!(breach(&twice), Breach::SharesDoNotAddUp { .. }));
}
