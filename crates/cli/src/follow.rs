//! `--watch` of lists that are printed anew: again whenever something that they show has happened.

use crate::client::Client;
use crate::clock;
use crate::exit::{Exit, Outcome, note, print};
use crate::output::{Format, Output};
use clap::Args;
use std::time::Duration;

/// Changes come in flocks: what happens within this time is printed at once.
const GATHER: Duration = Duration::from_millis(150);

/// `-o` and `--watch` of a list.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Listing {
    /// Go on: print the list again when something has changed
    #[arg(short, long)]
    watch: bool,
    #[command(flatten)]
    output: Output,
}

impl Listing {
    /// What people are told who find nothing, where nothing more comes.
    pub(crate) fn none(self, text: &str) {
        if !self.watch && !self.output.output_is_data() {
            note(text);
        }
    }

    /// Prints what `render` gives for the format that was asked for, as [`follow`] does.
    pub(crate) fn print(
        self,
        client: &Client,
        kinds: &str,
        render: impl Fn(Format) -> Outcome<String>,
    ) -> Outcome {
        follow(client, self.watch, kinds, || render(self.output.output))
    }
}

/// Prints, and with `watch` again whenever a change of these kinds shows, until somebody stops it.
pub(crate) fn follow(
    client: &Client,
    watch: bool,
    kinds: &str,
    render: impl Fn() -> Outcome<String>,
) -> Outcome {
    if !watch {
        return print(&render()?);
    }
    let mut events = client.watch(vec![("kinds", kinds.into())])?;
    let mut shown = String::new();
    loop {
        match render() {
            Ok(text) if text == shown => {}
            Ok(text) => {
                print(&text)?;
                shown = text;
            }
            // It was there a moment ago: it may come back.
            Err(failure) if failure.is(Exit::Unreachable) && !shown.is_empty() => events.lose(),
            Err(failure) => return Err(failure),
        }
        events.next()?;
        clock::pause(GATHER);
    }
}
