//! Records of a period, and their sums.

use super::follower::{Kind, Use};
use super::ledger::Ledger;
use crate::beside::ms;
use rusqlite::{OptionalExtension, params};
use std::collections::BTreeMap;
use tidegate_billing::charge::{Quantity, clip};
use tidegate_engine::ids::{Tick, WorkloadId};
use tidegate_engine::words::Priority;

/// What is looked for.
pub struct Wanted<'a> {
    /// Ascending, at least two: the period begins with the first and ends with the last, and is cut at the others.
    pub borders: &'a [Tick],
    pub pick: &'a (dyn Fn(&Kind) -> bool + Sync),
    pub workload: Option<WorkloadId>,
}

impl std::fmt::Debug for Wanted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wanted").field("borders", &self.borders).finish_non_exhaustive()
    }
}

impl Wanted<'_> {
    fn begin(&self) -> Tick {
        self.borders.first().copied().unwrap_or_default()
    }

    fn end(&self) -> Tick {
        self.borders.last().copied().unwrap_or_default()
    }
}

/// What was used, by kind and by part of the period.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Only what is not zero.
    pub sums: BTreeMap<(Kind, usize), Quantity>,
    /// Of what ended before this time nothing is kept.
    pub kept_from: Tick,
    /// Up to when what goes on was counted.
    pub now: Tick,
}

/// Records of a period, cut to it.
#[derive(Clone, Debug, Default)]
pub struct Listed {
    /// With the number of the record; `None`: it goes on.
    pub items: Vec<(Option<u64>, Use)>,
    /// Where to go on.
    pub next: Option<u64>,
    pub kept_from: Tick,
}

/// Places in a list: records by number, then what goes on.
const OPEN: u64 = 1 << 62;

impl Ledger {
    /// The first record that may have ended after a time: they ascend by when they were noted, so it is found by halves.
    fn first_after(&self, at: Tick) -> rusqlite::Result<i64> {
        let bounds = "SELECT min(id), max(id) FROM record";
        let (low, high): (Option<i64>, Option<i64>) =
            self.connection.query_row(bounds, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let (Some(mut low), Some(high)) = (low, high) else { return Ok(i64::MAX) };
        let mut high = high + 1;
        let mut ends = self.connection.prepare_cached("SELECT noted FROM record WHERE id = ?")?;
        while low < high {
            let middle = low + (high - low) / 2;
            let noted: Option<i64> = ends.query_row([middle], |row| row.get(0)).optional()?;
            match noted {
                Some(noted) if noted as u64 > at.0 => high = middle,
                _ => low = middle + 1,
            }
        }
        Ok(low)
    }

    /// What was used in a period; what goes on is counted up to `now`.
    pub fn tally(&self, wanted: &Wanted<'_>, now: Tick) -> rusqlite::Result<Tally> {
        let kinds = self.kinds();
        let parts = wanted.borders.len().saturating_sub(1);
        let picked: Vec<bool> = kinds.iter().map(|kind| (wanted.pick)(kind)).collect();
        let mut sums = vec![0i128; kinds.len() * parts];
        let add = |row: &mut [i128], amount: i64, from: Tick, to: Tick| {
            for (sum, part) in row.iter_mut().zip(wanted.borders.windows(2)) {
                *sum += Quantity::of(amount, clip((from, to), (part[0], part[1]))).0;
            }
        };
        let sql = "SELECT kind, since, until, amount, workload FROM record WHERE id >= ?1 AND since < ?2";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(params![self.first_after(wanted.begin())?, ms(wanted.end())])?;
        while let Some(row) = rows.next()? {
            let kind = row.get::<_, i64>(0)? as usize;
            if !picked.get(kind).is_some_and(|picked| *picked) {
                continue;
            }
            if wanted.workload.is_some_and(|id| row.get(4) != Ok(Some(id.0))) {
                continue;
            }
            let (from, to): (i64, i64) = (row.get(1)?, row.get(2)?);
            add(&mut sums[kind * parts..][..parts], row.get(3)?, Tick(from as u64), Tick(to as u64));
        }
        let mut tally = Tally { kept_from: self.kept_from(), now, sums: BTreeMap::new() };
        for (at, sum) in sums.into_iter().enumerate().filter(|(_, sum)| *sum != 0) {
            tally.sums.insert((kinds[at / parts].clone(), at % parts), Quantity(sum));
        }
        for one in self.going_on(wanted, now) {
            let mut row = vec![0; parts];
            add(&mut row, one.amount, one.from, one.to);
            for (part, sum) in row.into_iter().enumerate().filter(|(_, sum)| *sum != 0) {
                *tally.sums.entry((one.kind.clone(), part)).or_default() += Quantity(sum);
            }
        }
        Ok(tally)
    }

    /// What goes on, if it is wanted.
    fn going_on<'a>(&'a self, wanted: &'a Wanted<'_>, now: Tick) -> impl Iterator<Item = Use> + 'a {
        let of = |one: &Use| wanted.workload.is_none_or(|id| one.workload == Some(id));
        let within = |one: &Use| one.from < wanted.end() && one.to > wanted.begin();
        self.state.follower.open(now).filter(move |one| of(one) && within(one) && (wanted.pick)(&one.kind))
    }

    pub(super) fn list(
        &self,
        wanted: &Wanted<'_>,
        from: u64,
        limit: usize,
        now: Tick,
    ) -> rusqlite::Result<Listed> {
        let mut listed = Listed { kept_from: self.kept_from(), ..Listed::default() };
        if from < OPEN {
            self.closed(wanted, from, limit, &mut listed)?;
        }
        if listed.next.is_none() {
            let skip = usize::try_from(from.saturating_sub(OPEN)).unwrap_or(usize::MAX);
            let room = limit.saturating_sub(listed.items.len());
            let mut open = self.going_on(wanted, now).skip(skip);
            listed.items.extend(open.by_ref().take(room).map(|one| (None, cut(one, wanted))));
            listed.next = open.next().map(|_| OPEN + (skip + room) as u64);
        }
        Ok(listed)
    }

    fn closed(
        &self,
        wanted: &Wanted<'_>,
        from: u64,
        limit: usize,
        listed: &mut Listed,
    ) -> rusqlite::Result<()> {
        let kinds = self.kinds();
        let first = self.first_after(wanted.begin())?.max(from as i64);
        let sql = "SELECT r.id, r.kind, r.workload, w.name, r.unit, r.priority, r.key, r.since, r.until, r.amount, w.queued \
                   FROM record r LEFT JOIN workload w ON w.id = r.workload \
                   WHERE r.id >= ?1 AND r.since < ?2 AND r.until > ?3 ORDER BY r.id";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(params![first, ms(wanted.end()), ms(wanted.begin())])?;
        while let Some(row) = rows.next()? {
            let id: i64 = row.get(0)?;
            let Some(kind) = kinds.get(row.get::<_, i64>(1)? as usize).filter(|kind| (wanted.pick)(kind))
            else {
                continue;
            };
            let workload = row.get::<_, Option<u32>>(2)?.map(WorkloadId);
            if wanted.workload.is_some_and(|wanted| workload != Some(wanted)) {
                continue;
            }
            if listed.items.len() == limit {
                listed.next = Some(id as u64);
                return Ok(());
            }
            let tick = |column: usize| row.get::<_, i64>(column).map(|ms| Tick(ms as u64));
            let one = Use {
                kind: kind.clone(),
                workload,
                name: match (row.get::<_, Option<String>>(3)?, kind.config) {
                    (Some(name), _) => name.into(),
                    (None, Some(config)) => config.to_string().into(),
                    (None, None) => "".into(),
                },
                unit: row.get(4)?,
                priority: Priority::new(row.get(5)?).unwrap_or(Priority::DEFAULT),
                key: row.get::<_, i64>(6)? as u64,
                from: tick(7)?,
                to: tick(8)?,
                amount: row.get(9)?,
                queued: row.get::<_, Option<i64>>(10)?.map_or(tick(7)?, |ms| Tick(ms as u64)),
            };
            listed.items.push((Some(id as u64), cut(one, wanted)));
        }
        Ok(())
    }
}

/// The part of it that lies in the period.
fn cut(one: Use, wanted: &Wanted<'_>) -> Use {
    Use { from: one.from.max(wanted.begin()), to: one.to.min(wanted.end()), ..one }
}
