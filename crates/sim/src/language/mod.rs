//! The scenario language: text in, a tree of statements or an error with its place out. Never panics.

mod change;
mod declaration;
mod figures;
mod options;
mod piece;
mod sets;
pub mod tree;

pub use figures::MAX_TIME;
pub use piece::{Place, Placed, SyntaxError};
pub use tree::Scenario;

use piece::{Unexpected, Words};
use tidegate_engine::ids::Tick;
use tree::{Declaration, Line};

/// Longest file, in bytes. A hand-written scenario has a few kilobytes.
pub const MAX_BYTES: usize = 8 << 20;
/// Most lines of a file, expected output not counted.
pub const MAX_LINES: u32 = 100_000;
/// Most nodes of one file: ten times the largest cluster that we know of.
pub const MAX_NODES: u32 = 200_000;
/// Ends the input; expected output stands below it.
pub const RULE: &str = "----";

const CHANGES: &str = "submit, finish, stop, fail, checkpoint, priority, resize, transfer, scale, quota, delete, \
    set or node";
const STRATEGIES: &str = "a strategy (fifo, round-robin, balance, intelligent, fair)";
const MODES: &str = "a mode (refuse, drain, evict)";
const POLICY_OPTIONS: &str =
    "child=, self=, queue=, idle-sharing=, protect-for=, patience=, aging-step= or starvation-guard=";
const SUBMIT_OPTIONS: &str = "for DUR, min=, idle=, grace=, checkpoint=, model=, nodes=, roles=, restarts=, \
    on-preempt=, hang, max-run=, workspace=, cpu= or memory=";

/// Reads a file up to its `----`.
pub fn parse_bytes(bytes: &[u8]) -> Result<Scenario, SyntaxError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => parse(text),
        Err(error) => {
            let good = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            let place = end_of(&good);
            Err(SyntaxError::new(place, "expected UTF-8 text, found other bytes".into(), &good))
        }
    }
}

fn end_of(text: &str) -> Place {
    let last = text.rsplit('\n').next().unwrap_or_default();
    Place { line: text.matches('\n').count() as u32 + 1, column: last.chars().count() as u32 + 1 }
}

pub fn parse(text: &str) -> Result<Scenario, SyntaxError> {
    if text.len() > MAX_BYTES {
        let message = format!("expected a file of at most {MAX_BYTES} bytes, found {}", text.len());
        return Err(SyntaxError::new(Place { line: 1, column: 1 }, message, text));
    }
    let mut reader = Reader::default();
    for (number, line) in (1..).zip(text.strip_prefix('\u{feff}').unwrap_or(text).lines()) {
        if line.trim_end() == RULE {
            break;
        }
        reader.line(Words::of(line, number), number).map_err(|e| SyntaxError::of(e, text))?;
    }
    Ok(reader.scenario)
}

#[derive(Debug, Default)]
struct Reader {
    scenario: Scenario,
    nodes: u32,
    now: Tick,
}

impl Reader {
    fn line(&mut self, mut words: Words<'_>, number: u32) -> Result<(), Unexpected> {
        let Some(word) = words.next() else { return Ok(()) };
        if number > MAX_LINES {
            return Err(word.expected(format!("at most {MAX_LINES} lines")));
        }
        let declares = self.scenario.lines.is_empty();
        match word.text {
            "pool" if declares => {
                let pool = declaration::pool(&mut words)?;
                self.nodes = self.nodes.saturating_add(pool.nodes);
                if self.nodes > MAX_NODES {
                    return Err(word.expected(format!("at most {MAX_NODES} nodes in all")));
                }
                self.scenario.declarations.push(Declaration::Pool(pool));
            }
            "quota" if declares => {
                self.scenario
                    .declarations
                    .push(Declaration::Quota(Box::new(declaration::quota(&mut words)?)));
            }
            "at" => {
                let time = words.need("a time such as 0s or 1h30m")?;
                let at = Tick(figures::duration(time)?.0);
                if at < self.now {
                    return Err(time.expected("a time that does not go back"));
                }
                self.now = at;
                let statement = change::statement(&mut words)?;
                self.scenario.lines.push(Line { at, place: word.place, statement });
            }
            "pool" | "quota" => return Err(word.expected("at (declarations come before the first at)")),
            _ if declares => return Err(word.expected("pool, quota or at")),
            _ => return Err(word.expected("at")),
        }
        Ok(())
    }
}
