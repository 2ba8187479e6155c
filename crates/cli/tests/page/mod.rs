//! Pages that are true because they are run: the blocks of a Markdown page, in order, against a real server.
//!
//! What stands after the three backquotes says what is done with a block:
//!
//! | block | |
//! |---|---|
//! | `sh` | run in the page's shell; it must succeed |
//! | `sh cli`, `sh curl` | the same, only when the page is followed that way |
//! | `sh ... again` | run again until it prints what is shown: something else must happen first |
//! | `sh ... exit-4` | it must fail with this exit code |
//! | `sh serve` | a server, in a terminal of its own; the page goes on when it listens |
//! | `sh watch` | goes on in a terminal of its own; by the end of the page it has printed what is shown |
//! | `sh by-hand` | not run: it would change the machine |
//! | `text`, `json`, `yaml` right after one of these | what it prints, stdout and stderr together |
//!
//! In what is shown, `…` stands for any text, and alone on its line for any number of lines. White space counts
//! only as that there is some, and in `json` not at all. `UPDATE=1` writes what was printed into the page.

#![allow(dead_code, reason = "each test file uses a part of it")]

mod blocks;
mod shell;
mod shown;

use blocks::Block;
use serde_json::Value;
use shell::{Shell, Terminal};
use std::path::{Path, PathBuf};

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// The books and the states at the end of a part of a page.
#[derive(Debug, PartialEq)]
pub(crate) struct Seen {
    pub(crate) part: String,
    pub(crate) books: Value,
    pub(crate) states: Value,
}

/// Follows a page from its top to its end; `way` chooses among blocks that are written in several ways.
#[track_caller]
pub(crate) fn follow(page: &str, way: Option<&str>) -> Vec<Seen> {
    let file = repository().join(page);
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{page}: {error}"));
    let blocks: Vec<Block> = blocks::read(&text).into_iter().filter(|block| block.is_for(way)).collect();
    assert!(!blocks.is_empty(), "{page} has nothing to run");
    let mut run =
        Run { page, shell: Shell::start(), terminals: Vec::new(), corrections: Vec::new(), seen: Vec::new() };
    for (index, block) in blocks.iter().enumerate() {
        run.block(block);
        let part_ends = blocks.get(index + 1).is_none_or(|next| next.part != block.part);
        if part_ends && run.has_server() {
            let seen = run.shell.look(&block.part);
            run.seen.push(seen);
        }
    }
    run.finish(&file, text)
}

struct Run<'a> {
    page: &'a str,
    shell: Shell,
    terminals: Vec<(Terminal, Option<Block>)>,
    /// Blocks of output that were different, with what was printed.
    corrections: Vec<(Block, String)>,
    seen: Vec<Seen>,
}

impl Run<'_> {
    fn has_server(&self) -> bool {
        self.terminals.iter().any(|(terminal, _)| terminal.is_server)
    }

    fn block(&mut self, block: &Block) {
        let place = format!("{}:{}", self.page, block.line);
        if block.has("by-hand") {
            return;
        }
        if block.has("serve") || block.has("watch") {
            let terminal = self.shell.terminal(&block.text, block.has("serve"));
            // Who watches is there when it has said something; what happens before that it may not see.
            shell::try_until(|| !terminal.printed().is_empty());
            self.terminals.push((terminal, block.has("watch").then(|| block.clone())));
            return;
        }
        let wanted = block.exit_code();
        let accepts = |printed: &str| block.shows.as_ref().is_none_or(|shown| shown::matches(shown, printed));
        let mut ran = self.shell.run(&block.text);
        if block.has("again") {
            shell::try_until(|| {
                let is_so = ran.code == wanted && accepts(&ran.out);
                if !is_so {
                    ran = self.shell.run(&block.text);
                }
                is_so
            });
        }
        assert_eq!(ran.code, wanted, "{place}: exit code {} instead of {wanted}:\n{}", ran.code, ran.out);
        self.judge(block, &ran.out);
    }

    /// Whether the page shows what was printed. With UPDATE it is corrected, without it is a failure.
    fn judge(&mut self, block: &Block, printed: &str) {
        let Some(shown) = &block.shows else { return };
        if shown::matches(shown, printed) {
            return;
        }
        if std::env::var_os("UPDATE").is_none() {
            panic!(
                "{}:{}: the page shows\n{}\nbut this was printed\n{printed}",
                self.page, shown.line, shown.text
            );
        }
        self.corrections.push((block.clone(), shown::without_times(printed)));
    }

    fn finish(mut self, file: &Path, mut text: String) -> Vec<Seen> {
        for (mut terminal, block) in std::mem::take(&mut self.terminals) {
            if let Some(block) = block {
                let shows =
                    |printed: &str| block.shows.as_ref().is_none_or(|shown| shown::matches(shown, printed));
                shell::try_until(|| shows(&terminal.printed()));
                let printed = terminal.printed();
                self.judge(&block, &printed);
            }
            terminal.end();
        }
        if !self.corrections.is_empty() {
            // From the last to the first, so that lines keep their numbers.
            self.corrections.sort_by_key(|(block, _)| std::cmp::Reverse(block.line));
            for (block, printed) in &self.corrections {
                text = blocks::replace(&text, block, printed);
            }
            std::fs::write(file, text).expect("the page can be written");
        }
        self.seen
    }
}
