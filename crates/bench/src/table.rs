//! The table that is printed at the end.

use crate::samples::thousands;
use std::fmt;

/// What a figure is compared with, and what is wanted of it.
#[derive(Clone, Debug)]
pub enum Measure {
    /// Nanoseconds, in dependent loads.
    Loads { p50: f64, p99: Option<f64>, most_p50: Option<f64>, most_p99: Option<f64> },
    /// Nanoseconds, against somebody else's.
    Peer { ns: f64, peer: Peer, at_least: Option<f64> },
    /// A ratio or figure of its own.
    Plain { ratio: String, target: String, met: Option<bool> },
}

/// Somebody else's figure.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    pub name: &'static str,
    pub ns: f64,
    /// Measured on a machine like this one; otherwise on another.
    pub like_ours: bool,
}

#[derive(Clone, Debug)]
struct Row {
    shape: String,
    figure: String,
    measure: Measure,
}

/// Rows in order of measurement, and notes to them.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<Row>,
    notes: Vec<String>,
}

impl Table {
    pub fn row(&mut self, shape: impl Into<String>, figure: impl Into<String>, measure: Measure) {
        self.rows.push(Row { shape: shape.into(), figure: figure.into(), measure });
    }

    pub fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// The table, with ratios to a dependent load of `load` nanoseconds.
    pub fn render(&self, load: f64) -> String {
        let heading = ["shape", "figure", "ratio", "target", ""].map(str::to_owned);
        let cells = self.rows.iter().map(|row| {
            let [ratio, target, met] = row.measure.cells(load);
            [row.shape.clone(), row.figure.clone(), ratio, target, met]
        });
        let lines: Vec<[String; 5]> = std::iter::once(heading).chain(cells).collect();
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..5).map(width).collect();
        let mut out = String::new();
        for (i, line) in lines.iter().enumerate() {
            let padded = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
            out.push_str(padded.collect::<Vec<_>>().join(" | ").trim_end());
            out.push('\n');
            if i == 0 {
                let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
                out.push_str(&rule.join("-|-"));
                out.push('\n');
            }
        }
        for note in &self.notes {
            out.push_str(&format!("\n{note}"));
        }
        out
    }
}

impl Measure {
    pub fn loads(p50: f64, p99: f64) -> Measure {
        Measure::Loads { p50, p99: Some(p99), most_p50: None, most_p99: None }
    }

    /// A ratio, shape or figure without a target.
    pub fn plain(ratio: impl Into<String>) -> Measure {
        Measure::Plain { ratio: ratio.into(), target: String::new(), met: None }
    }

    pub fn target(ratio: impl Into<String>, target: impl Into<String>, met: bool) -> Measure {
        Measure::Plain { ratio: ratio.into(), target: target.into(), met: Some(met) }
    }

    fn cells(&self, load: f64) -> [String; 3] {
        match self {
            Measure::Loads { p50, p99, most_p50, most_p99 } => {
                let mut ratio = format!("{} loads", count(p50 / load));
                if let Some(p99) = p99 {
                    ratio.push_str(&format!(", p99 {}", count(p99 / load)));
                }
                let mut target = Vec::new();
                let mut broken = Vec::new();
                if let Some(most) = most_p50 {
                    target.push(format!("<= {most} loads"));
                    if p50 / load > *most {
                        broken.push("p50");
                    }
                }
                if let (Some(most), Some(p99)) = (most_p99, p99) {
                    target.push(format!("p99 <= {most}"));
                    if p99 / load > *most {
                        broken.push("p99");
                    }
                }
                let met = match (target.is_empty(), broken.is_empty(), most_p99.is_some()) {
                    (true, ..) => String::new(),
                    (_, true, _) => "met".into(),
                    (_, false, true) => format!("missed: {}", broken.join(", ")),
                    (_, false, false) => "missed".into(),
                };
                [ratio, target.join(", "), met]
            }
            Measure::Peer { ns, peer, at_least } => {
                let times = peer.ns / ns;
                let target = at_least.map_or(String::new(), |least| format!(">= {} x", count(least)));
                let met = at_least.map(|least| times >= least);
                [format!("{} x faster than {peer}", count(times)), target, verdict(met)]
            }
            Measure::Plain { ratio, target, met } => [ratio.clone(), target.clone(), verdict(*met)],
        }
    }
}

fn verdict(met: Option<bool>) -> String {
    match met {
        Some(true) => "met".into(),
        Some(false) => "missed".into(),
        None => String::new(),
    }
}

/// A ratio with as many digits as it deserves.
pub fn count(ratio: f64) -> String {
    if ratio < 9.95 { format!("{ratio:.1}") } else { thousands(ratio.round() as u64) }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let machine = if self.like_ours { "machine like ours" } else { "another machine" };
        write!(f, "{} ({}, {machine})", self.name, crate::samples::duration(self.ns))
    }
}
