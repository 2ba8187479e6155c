//! `tidegate logs`: what a workload wrote.

use super::PATH;
use crate::client::{Ask, Client, Query};
use crate::exit::{Exit, Failure, Outcome, print};
use clap::Args;
use std::io::Read;
use tidegate_api::name::Name;

pub(crate) const EXAMPLES: &str = "Examples:
  tidegate logs train-1
  tidegate logs -f train-1 --replica 2";

#[derive(Args, Debug)]
pub(crate) struct Logs {
    name: Name,
    /// Go on with what it writes, until it has ended
    #[arg(short, long)]
    follow: bool,
    /// Only this replica, counted from 0
    #[arg(long, value_name = "N")]
    replica: Option<u32>,
    /// Only so many lines from the end
    #[arg(long, value_name = "N")]
    tail: Option<u32>,
}

impl Logs {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        let mut query = Query::new();
        query.extend(self.follow.then(|| ("follow", "true".into())));
        query.extend(self.replica.map(|replica| ("replica", replica.to_string())));
        query.extend(self.tail.map(|lines| ("tail", lines.to_string())));
        let mut ask = Ask::get(format!("{PATH}/{}/logs", self.name), query);
        ask.is_stream = true;
        let Some(mut stream) = client.send(&ask)?.stream() else { return Ok(()) };
        let mut buffer = [0; 16 << 10];
        loop {
            let count = stream.read(&mut buffer).map_err(|error| {
                Failure::new(Exit::Unreachable, format!("the logs of {} broke off: {error}", self.name))
            })?;
            if count == 0 {
                return Ok(());
            }
            print(&String::from_utf8_lossy(&buffer[..count]))?;
        }
    }
}
