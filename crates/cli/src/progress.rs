//! Progress bars: on a terminal, for what takes over a second, on stderr.

use crate::clock;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// What is done sooner than this needs no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// How far something long is.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    begun: Instant,
    is_shown: bool,
}

impl Progress {
    pub(crate) fn new() -> Progress {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden());
            let style = ProgressStyle::with_template("{msg:12} [{bar:40}] {percent:>3}% {pos}/{len} {eta}");
            if let Ok(style) = style {
                bar.set_style(style.progress_chars("#>."));
            }
            bar
        });
        Progress { bar, begun: clock::instant(), is_shown: false }
    }

    pub(crate) fn set(&mut self, part: &'static str, done: u64, total: u64) {
        let Some(bar) = &self.bar else { return };
        if !self.is_shown && clock::instant().duration_since(self.begun) > PATIENCE {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            self.is_shown = true;
        }
        if self.is_shown {
            bar.set_message(part);
            bar.set_length(total);
            bar.set_position(done);
        }
    }

    /// Leaves no trace.
    pub(crate) fn end(self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }
}
