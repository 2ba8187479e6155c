//! What use of a period costs: lines, and their sums.

use crate::charge::{Quantity, settle};
use crate::dedicated::ConfigId;
use crate::money::Money;
use crate::price::{Mode, NoPrice, PriceBook, Rate, Resource};
use crate::record::CorrectionId;
use std::collections::BTreeMap;
use tidegate_engine::ids::{QuotaId, Tick, WorkspaceId};
use tidegate_engine::words::Class;

/// What one line is about. A correction is a line of its own. Lines stand in the order of its fields: of a workspace
/// first shared work, then dedicated compute, then what is shown of quotas.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct About {
    pub workspace: WorkspaceId,
    pub mode: Mode,
    /// The dedicated compute whose capacity it is.
    pub config: Option<ConfigId>,
    pub quota: QuotaId,
    pub resource: Resource,
    pub class: Class,
    pub correction: Option<CorrectionId>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub about: About,
    /// The part of the period that it is about; one price held in it.
    pub from: Tick,
    pub to: Tick,
    pub rate: Rate,
    pub quantity: Quantity,
    pub cost: Money,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statement {
    pub lines: Vec<Line>,
    /// The sum of all lines but those of quotas.
    pub due: Money,
    /// The sum of the lines of quotas.
    pub showback: Money,
}

/// A period, cut where prices change: ascending, both ends included.
pub fn borders(book: &PriceBook, from: Tick, to: Tick) -> Vec<Tick> {
    let changes = book.versions.iter().map(|version| version.from).filter(|at| from < *at && *at < to);
    [from].into_iter().chain(changes).chain([to]).collect()
}

/// The part of a period, cut at these borders, that holds an instant of it.
pub fn part_at(borders: &[Tick], at: Tick) -> usize {
    borders.partition_point(|border| *border <= at).saturating_sub(1)
}

/// Settles what was used in each part of a period. What has no price is an error: nothing is charged by a guess. Of parts
/// of one price each costs what it adds to those before it: cut in whatever way, a period costs the same.
pub fn statement(
    book: &PriceBook,
    borders: &[Tick],
    used: impl IntoIterator<Item = (About, usize, Quantity)>,
) -> Result<Statement, NoPrice> {
    let mut sums: BTreeMap<(About, usize), Quantity> = BTreeMap::new();
    for (about, part, quantity) in used {
        *sums.entry((about, part)).or_default() += quantity;
    }
    let mut statement = Statement::default();
    // What the latest line and those before it of the same price have come to.
    let mut so_far: Option<(About, Tick, Quantity, Money)> = None;
    for ((about, part), quantity) in sums {
        let (Some(&from), Some(&to)) = (borders.get(part), borders.get(part + 1)) else { continue };
        let version = book.version_at(from)?;
        let rate = version.rate(about.mode, &about.resource, about.class)?;
        let goes_on = so_far.take().filter(|(last, since, ..)| *last == about && *since == version.from);
        let (mut sum, settled) = goes_on.map_or_else(Default::default, |(.., sum, settled)| (sum, settled));
        sum += quantity;
        let all = settle(sum, &about.resource, rate, &book.currency);
        let cost = Money(all.0 - settled.0);
        so_far = Some((about.clone(), version.from, sum, all));
        let sum = match about.mode {
            Mode::Quota => &mut statement.showback,
            Mode::Shared | Mode::Reserved | Mode::ByUsage => &mut statement.due,
        };
        sum.0 += cost.0;
        statement.lines.push(Line { about, from, to, rate, quantity, cost });
    }
    Ok(statement)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::money::{Currency, Price};
    use crate::price::{Discount, PriceBookId, PriceVersion, Tariff};
    use tidegate_engine::ids::Span;

    fn version(from: u64, price: &str) -> PriceVersion {
        let price = Price::parse(price).expect("a price");
        let tariff = Tariff {
            gpu: BTreeMap::from([("H100".into(), price)]),
            idle_discount: Discount(50_000),
            ..Tariff::default()
        };
        let tariffs = [Mode::Shared, Mode::Quota].map(|mode| (mode, tariff.clone())).into();
        PriceVersion { from: Tick(from), set: Tick(0), tariffs }
    }

    fn book() -> PriceBook {
        PriceBook {
            id: PriceBookId(0),
            name: "default".into(),
            currency: Currency::new("EUR", 2).expect("a currency"),
            versions: vec![version(1_000, "2"), version(5_000, "3")],
            created: Tick(0),
        }
    }

    fn about(mode: Mode, class: Class) -> About {
        let (workspace, quota) = (WorkspaceId(1), QuotaId(2));
        let resource = Resource::Gpu("H100".into());
        About { workspace, mode, config: None, quota, resource, class, correction: None }
    }

    #[test]
    fn a_period_is_cut_where_prices_change() {
        let cut = |from, to| borders(&book(), Tick(from), Tick(to)).iter().map(|at| at.0).collect::<Vec<_>>();
        assert_eq!(cut(2_000, 9_000), [2_000, 5_000, 9_000]);
        assert_eq!(cut(5_000, 9_000), [5_000, 9_000]);
        assert_eq!(cut(0, 1_000), [0, 1_000]);
    }

    #[test]
    fn each_part_has_its_price_and_the_sum_is_that_of_its_lines() {
        let hour = Quantity::of(1_000, Span::hours(1));
        let idle = About { class: Class::Idle, ..about(Mode::Quota, Class::Firm) };
        let firm = about(Mode::Shared, Class::Firm);
        let used = [(firm.clone(), 0, hour), (firm.clone(), 0, hour), (firm, 1, hour), (idle, 1, hour)];
        let borders = [Tick(2_000), Tick(5_000), Tick(9_000)];
        let statement = statement(&book(), &borders, used).expect("all have prices");
        let costs: Vec<i128> = statement.lines.iter().map(|line| line.cost.0).collect();
        assert_eq!(costs, [400, 300, 150]);
        assert_eq!((statement.due, statement.showback), (Money(700), Money(150)));
    }

    #[test]
    fn a_period_that_is_cut_costs_what_it_costs_in_one_piece() {
        // A third of a cent each: rounded by themselves they would cost nothing.
        let little = Quantity(Quantity::of(1_000, Span::hours(1)).0 / 600);
        let firm = about(Mode::Shared, Class::Firm);
        let borders: Vec<Tick> = [1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 7_000].map(Tick).into();
        let used = (0..6).map(|part| (firm.clone(), part, little));
        let cut = statement(&book(), &borders, used.clone()).expect("all have prices");
        let costs: Vec<i128> = cut.lines.iter().map(|line| line.cost.0).collect();
        assert_eq!(costs, [0, 1, 0, 0, 1, 0], "a third of a cent four times, then half a cent twice");
        let whole = [Tick(1_000), Tick(5_000), Tick(7_000)];
        let whole =
            statement(&book(), &whole, used.map(|(about, part, q)| (about, usize::from(part > 3), q)));
        assert_eq!(whole.expect("all have prices").due, cut.due);
    }

    #[test]
    fn what_has_no_price_is_an_error_that_says_so() {
        let hour = Quantity::of(1_000, Span::hours(1));
        let early = [(about(Mode::Quota, Class::Firm), 0, hour)];
        let borders = [Tick(0), Tick(1_000)];
        assert_eq!(statement(&book(), &borders, early), Err(NoPrice::TooEarly { first: Tick(1_000) }));
        let cpu = About { resource: Resource::Cpu, ..about(Mode::Quota, Class::Firm) };
        let borders = [Tick(1_000), Tick(2_000)];
        assert!(matches!(statement(&book(), &borders, [(cpu, 0, hour)]), Err(NoPrice::Missing { .. })));
    }
}
