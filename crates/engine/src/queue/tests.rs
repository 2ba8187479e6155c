//! Who is next, by strategy.

use super::*;

fn key(priority: u8, shape: u32) -> LaneKey {
    let p = Priority::new(priority).expect("in range");
    LaneKey { priority: Reverse(p), growth: false, workspace: WorkspaceId::DEFAULT, shape }
}

fn queue(entries: &[(u8, u64, u32)]) -> Queue {
    let mut q = Queue::default();
    for &(p, at, id) in entries {
        q.insert(key(p, id), Entry { enqueued: Tick(at), id: WorkloadId(id) });
    }
    q
}

fn order(q: &mut Queue, strategy: Strategy, now: u64, stuck: &[u32]) -> Option<u32> {
    let policy = QueuePolicy { strategy, ..QueuePolicy::default() };
    q.next(&policy, Tick(now), |k| stuck.contains(&k.shape), |_| false).map(|n| n.1.id.0)
}

#[test]
fn fifo_stops_at_a_head_that_does_not_fit() {
    let mut q = queue(&[(1, 0, 1), (5, 3, 2), (5, 2, 3)]);
    assert_eq!(order(&mut q, Strategy::Fifo, 9, &[]), Some(3));
    assert_eq!(order(&mut q, Strategy::Fifo, 9, &[3]), None);
    assert_eq!(order(&mut q, Strategy::RoundRobin, 9, &[3]), Some(2));
}

#[test]
fn intelligent_is_strict_from_seven() {
    let mut q = queue(&[(7, 0, 1), (8, 3, 2), (1, 0, 3)]);
    assert_eq!(order(&mut q, Strategy::Intelligent, 9, &[2]), None);
    let mut low = queue(&[(1, 0, 1), (5, 3, 2)]);
    assert_eq!(order(&mut low, Strategy::Intelligent, 9, &[2]), Some(1));
}

#[test]
fn intelligent_ages_up_to_six() {
    let ten = 600_000;
    let mut q = queue(&[(1, 0, 1), (5, 6 * ten, 2), (6, 9 * ten, 3)]);
    assert_eq!(order(&mut q, Strategy::Intelligent, 0, &[]), Some(3));
    assert_eq!(order(&mut q, Strategy::Intelligent, 9 * ten, &[]), Some(1));
}

#[test]
fn balance_widens_with_patience() {
    let mut q = queue(&[(1, 0, 1), (1, 1, 2), (1, 2, 3)]);
    q.passed.insert((Tick(0), WorkloadId(1)));
    let three = 180_000;
    assert_eq!(order(&mut q, Strategy::Balance, three - 1, &[1]), None);
    assert_eq!(order(&mut q, Strategy::Balance, three, &[1]), Some(2));
    assert_eq!(order(&mut q, Strategy::Balance, three, &[1, 2]), None);
    assert_eq!(order(&mut q, Strategy::Balance, 2 * three, &[1, 2]), Some(3));
}

#[test]
fn stuck_lanes_wait_for_a_change() {
    let mut q = queue(&[(1, 0, 1), (1, 1, 2)]);
    q.sort();
    q.mark_stuck(key(1, 1));
    assert_eq!(order(&mut q, Strategy::RoundRobin, 5, &[]), Some(2));
    assert_eq!(order(&mut q, Strategy::Fifo, 5, &[]), None);
    q.wake();
    assert_eq!(order(&mut q, Strategy::Fifo, 5, &[]), Some(1));
}

#[test]
fn nobody_waits_for_who_is_set_aside() {
    for strategy in [Strategy::Fifo, Strategy::Balance, Strategy::Intelligent] {
        let policy = QueuePolicy { strategy, ..QueuePolicy::default() };
        let mut q = queue(&[(9, 0, 1), (8, 1, 2), (8, 2, 3)]);
        let first = |k: LaneKey| k.shape == 1;
        assert_eq!(q.next(&policy, Tick(9), first, |_| false), None);
        assert_eq!(q.next(&policy, Tick(9), first, first).map(|n| n.1.id.0), Some(2));
        assert_eq!(q.next(&policy, Tick(9), |k| k.shape <= 2, first), None);
    }
}
