//! How often somebody may try to log in: counted by user name and by address, known or not.

use crate::token::TokenHash;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Mutex;
use tidegate_engine::ids::{Span, Tick};

/// Within which failures are counted.
pub const WINDOW: Span = Span::minutes(5);
/// Failures for one user name.
pub const PER_NAME: u32 = 10;
/// Failures from one address. More than for a name: many people may be behind one address.
pub const PER_ADDRESS: u32 = 50;
/// Names and addresses that are counted. Above that, the count that would end first goes.
const MAX_COUNTS: usize = 16_384;

#[derive(Debug, Default)]
pub struct Throttle {
    counts: Mutex<BTreeMap<TokenHash, Count>>,
}

#[derive(Clone, Copy, Debug)]
struct Count {
    failures: u32,
    until: Tick,
}

/// A try that counts as failed until it has succeeded.
#[derive(Debug)]
pub struct Attempt {
    keys: Vec<(TokenHash, u32)>,
}

impl Attempt {
    pub fn new(name: &str, from: Option<IpAddr>) -> Attempt {
        let mut keys = vec![(TokenHash::of(&format!("name {name}")), PER_NAME)];
        keys.extend(from.map(|from| (TokenHash::of(&format!("from {}", network(from))), PER_ADDRESS)));
        Attempt { keys }
    }
}

/// Whoever has an address of the sixth version has 2^64 of them.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(v6) => match v6.to_ipv4_mapped() {
            Some(v4) => v4.into(),
            None => IpAddr::from((u128::from(v6) >> 64 << 64).to_be_bytes()),
        },
    }
}

impl Throttle {
    /// Begins a try: it counts before its outcome is known, so that many at once are as many. If there were too many,
    /// how long to wait.
    pub fn begin(&self, attempt: &Attempt, now: Tick) -> Result<(), Span> {
        let mut counts = self.counts.lock().expect("nobody panics here");
        let full = |(key, most): &(TokenHash, u32)| {
            let count = counts.get(key).filter(|count| now < count.until)?;
            (count.failures >= *most).then(|| count.until.since(now))
        };
        if let Some(wait) = attempt.keys.iter().filter_map(full).max() {
            return Err(wait);
        }
        for (key, _) in &attempt.keys {
            make_room(&mut counts, key, now);
            let count = counts.entry(*key).or_insert(Count { failures: 0, until: now });
            if now >= count.until {
                *count = Count { failures: 0, until: now.after(WINDOW) };
            }
            count.failures += 1;
        }
        Ok(())
    }

    /// It was not decided: nothing was tried.
    pub fn withdraw(&self, attempt: &Attempt) {
        let mut counts = self.counts.lock().expect("nobody panics here");
        for (key, _) in &attempt.keys {
            if let Some(count) = counts.get_mut(key) {
                count.failures = count.failures.saturating_sub(1);
            }
        }
    }

    /// It did not fail after all. What failed for this name before is forgiven; what came from the address is not, or
    /// somebody with one account could try all others.
    pub fn succeeded(&self, attempt: &Attempt) {
        let mut counts = self.counts.lock().expect("nobody panics here");
        if let Some((name, _)) = attempt.keys.first() {
            counts.remove(name);
        }
        for (key, _) in attempt.keys.iter().skip(1) {
            if let Some(count) = counts.get_mut(key) {
                count.failures = count.failures.saturating_sub(1);
            }
        }
    }
}

fn make_room(counts: &mut BTreeMap<TokenHash, Count>, key: &TokenHash, now: Tick) {
    if counts.len() < MAX_COUNTS || counts.contains_key(key) {
        return;
    }
    counts.retain(|_, count| now < count.until);
    if counts.len() >= MAX_COUNTS {
        let first = counts.iter().min_by_key(|(_, count)| count.until).map(|(key, _)| *key);
        first.map(|key| counts.remove(&key));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(number: u64) -> Option<IpAddr> {
        Some(IpAddr::from((u128::from(number) << 64).to_be_bytes()))
    }

    #[test]
    fn a_name_is_tried_so_often_and_no_more() {
        let throttle = Throttle::default();
        for number in 0..u64::from(PER_NAME) {
            assert_eq!(throttle.begin(&Attempt::new("a", at(number)), Tick(number)), Ok(()));
        }
        let wait = throttle.begin(&Attempt::new("a", at(99)), Tick(60_000));
        assert_eq!(wait, Err(Span::minutes(4)), "from anywhere, until the first is so long ago");
        assert_eq!(throttle.begin(&Attempt::new("b", at(0)), Tick(60_000)), Ok(()), "others go on");
        assert_eq!(throttle.begin(&Attempt::new("a", at(0)), Tick(300_000)), Ok(()));
    }

    #[test]
    fn an_address_tries_so_many_names_and_no_more() {
        let throttle = Throttle::default();
        let from: IpAddr = "2001:db8::1".parse().expect("an address");
        let beside: IpAddr = "2001:db8::2".parse().expect("an address");
        for number in 0..PER_ADDRESS {
            assert_eq!(throttle.begin(&Attempt::new(&number.to_string(), Some(from)), Tick(0)), Ok(()));
        }
        assert!(throttle.begin(&Attempt::new("x", Some(beside)), Tick(1)).is_err(), "the same network");
        assert_eq!(throttle.begin(&Attempt::new("x", at(5)), Tick(1)), Ok(()));
    }

    #[test]
    fn who_succeeds_is_forgiven_for_the_name_alone() {
        let throttle = Throttle::default();
        for _ in 0..PER_NAME - 1 {
            assert_eq!(throttle.begin(&Attempt::new("a", at(1)), Tick(0)), Ok(()));
        }
        let right = Attempt::new("a", at(1));
        assert_eq!(throttle.begin(&right, Tick(0)), Ok(()));
        throttle.succeeded(&right);
        assert_eq!(throttle.begin(&Attempt::new("a", at(1)), Tick(0)), Ok(()));
        let counts = throttle.counts.lock().expect("nobody panics here");
        let mut failures: Vec<u32> = counts.values().map(|count| count.failures).collect();
        failures.sort_unstable();
        assert_eq!(failures, [1, PER_NAME]);
    }

    #[test]
    fn memory_is_bounded() {
        let throttle = Throttle::default();
        for number in 0..MAX_COUNTS as u64 + 100 {
            let _ = throttle.begin(&Attempt::new(&number.to_string(), at(number)), Tick(number));
        }
        assert_eq!(throttle.counts.lock().expect("nobody panics here").len(), MAX_COUNTS);
    }
}
