//! The books of every quota, as a table and as JSON.

use super::figures::Figures;
use super::labels::Directory;
use serde_json::{Map, Value, json};
use tidegate_engine::Engine;
use tidegate_engine::books::QuotaBooks;
use tidegate_engine::resources::Resources;
use tidegate_engine::words::Rule;

/// The books of one quota.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    quota: String,
    parent: Option<String>,
    depth: u8,
    guarantee: Figures,
    share: Figures,
    /// In the order of `Rule::ALL`.
    drawn: Vec<Figures>,
    held: Figures,
    balance: Figures,
    in_transit: Option<Figures>,
    queued: u32,
    overdrawn: bool,
}

/// Quotas in tree order.
pub(crate) fn rows(engine: &Engine, labels: &dyn Directory) -> Vec<Row> {
    let row = |b: QuotaBooks| {
        let figures = |r: &Resources| labels.figures(b.quota, r);
        Row {
            quota: labels.quota(b.quota),
            parent: b.parent.map(|parent| labels.quota(parent)),
            depth: b.depth,
            guarantee: figures(&b.guarantee),
            share: figures(&b.share),
            drawn: b.drawn.iter().map(figures).collect(),
            held: figures(&b.held),
            balance: figures(&b.balance),
            in_transit: (b.in_transit != Resources::default()).then(|| figures(&b.in_transit)),
            queued: b.queued,
            overdrawn: b.overdrawn,
        }
    };
    engine.books().into_iter().map(row).collect()
}

/// A table: names to the left and indented by depth, figures to the right. The column `in-transit` is there
/// if anything is.
pub(crate) fn table(rows: &[Row]) -> Vec<String> {
    let transit = rows.iter().any(|row| row.in_transit.is_some());
    let top = rows.iter().map(|row| row.depth).min().unwrap_or(0);
    let mut head: Vec<String> = ["quota", "guarantee", "share"].map(String::from).into();
    head.extend(Rule::ALL.iter().map(|rule| rule.to_string()));
    head.extend(["held", "balance"].map(String::from));
    head.extend(transit.then(|| "in-transit".into()));
    head.push("queued".into());
    let mut cells = vec![head];
    for row in rows {
        let indent = "  ".repeat(usize::from(row.depth - top));
        let mut line = vec![format!("{indent}{}", row.quota), row.guarantee.cell(), row.share.cell()];
        line.extend(row.drawn.iter().map(Figures::cell));
        line.extend([row.held.cell(), row.balance.cell()]);
        if transit {
            line.push(row.in_transit.as_ref().map_or("0".into(), Figures::cell));
        }
        line.push(row.queued.to_string());
        cells.push(line);
    }
    align(&cells)
}

fn align(cells: &[Vec<String>]) -> Vec<String> {
    let columns = cells.first().map_or(0, Vec::len);
    let width = |column: usize| cells.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |line: &Vec<String>| {
        let mut text = format!("{:<1$}", line[0], widths[0]);
        for (cell, width) in line.iter().zip(&widths).skip(1) {
            text.push_str(&format!("  {cell:>width$}"));
        }
        text
    };
    cells.iter().map(line).collect()
}

pub(crate) fn json(rows: &[Row]) -> Value {
    let row = |row: &Row| {
        let drawn: Map<String, Value> = Rule::ALL
            .iter()
            .zip(&row.drawn)
            .map(|(rule, figures)| (rule.to_string(), figures.json()))
            .collect();
        json!({
            "quota": row.quota,
            "parent": row.parent,
            "guarantee": row.guarantee.json(),
            "share": row.share.json(),
            "drawn": drawn,
            "held": row.held.json(),
            "balance": row.balance.json(),
            "inTransit": row.in_transit.as_ref().map_or(json!(0), Figures::json),
            "queued": row.queued,
            "overdrawn": row.overdrawn,
        })
    };
    rows.iter().map(row).collect()
}
