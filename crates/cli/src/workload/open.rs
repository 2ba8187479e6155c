//! `tidegate open`: a notebook or service in the browser.

use super::PATH;
use super::within::Within;
use crate::client::{Ask, Changed, Client};
use crate::exit::{Outcome, note, print_line};
use clap::Args;
use std::process::{Command, Stdio};
use tidegate_api::actions::OpenLink;
use tidegate_api::name::Name;
use ureq::http::Method;

pub(crate) const EXAMPLES: &str = "Examples:
  tidegate open note
  tidegate open web --url            print the link; whoever follows it first is let in
  curl -H \"Authorization: Bearer $TIDEGATE_TOKEN\" \"$(tidegate show web -o json | jq -r .status.url)\"

A link is good once, for a minute; the browser that followed it is let in for 12 hours.";

/// Programs that show an address in a browser; BROWSER goes before.
const OPENERS: [&str; 2] = ["xdg-open", "open"];

#[derive(Args, Debug)]
pub(crate) struct Open {
    /// The notebook or service
    name: Name,
    #[command(flatten)]
    within: Within,
    /// Print the link instead of opening a browser
    #[arg(long)]
    url: bool,
}

impl Open {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        let ask = self.within.ask(Ask::change(Method::POST, format!("{PATH}/{}:open", self.name)));
        let Changed::Made(link) = client.change::<OpenLink>(ask, false)? else { return Ok(()) };
        if self.url {
            return print_line(&link.url);
        }
        let chosen = std::env::var("BROWSER").ok().filter(|program| !program.is_empty());
        let programs = chosen.iter().map(String::as_str).chain(OPENERS);
        for program in programs {
            let mut command = Command::new(program);
            command.arg(&link.url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            // Some wait until the browser is closed, so nobody waits for them; who is not there is told at once.
            if command.spawn().is_ok() {
                note(format!("{} opens in the browser", self.name));
                return Ok(());
            }
        }
        note("no browser was found; follow this link within a minute:");
        print_line(&link.url)
    }
}
