//! `tidegate logs`: what a workload wrote, and what it writes.

use super::PATH;
use super::within::Within;
use crate::client::{Ask, Client, Query};
use crate::exit::{Exit, Failure, Outcome, print_bytes};
use clap::Args;
use std::io::Read;
use tidegate_api::name::Name;
use tidegate_api::output::Braid;
use tidegate_api::workload::Workload;

pub(crate) const EXAMPLES: &str = "Examples:
  tidegate logs train-1
  tidegate logs -f train-1 --replica 2
  tidegate logs --tail 20 train-1

Of several replicas every line begins with the number of its replica, such as [2].
What is printed is what was written, byte by byte, over all runs of the workload.";

#[derive(Args, Debug)]
pub(crate) struct Logs {
    /// A name, for the latest of that name, or a uid
    name: Name,
    #[command(flatten)]
    within: Within,
    /// Go on with what it writes, until it has ended
    #[arg(short, long)]
    follow: bool,
    /// Only this replica, counted from 0
    #[arg(long, value_name = "N")]
    replica: Option<u32>,
    /// Only so many lines from the end, of each replica
    #[arg(long, value_name = "N")]
    tail: Option<u32>,
}

impl Logs {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        let mut query = Query::new();
        query.extend(self.replica.map(|replica| ("replica", replica.to_string())));
        query.extend(self.tail.map(|lines| ("tail", lines.to_string())));
        if self.follow {
            let workload: Workload = client.get_with(format!("{PATH}/{}", self.name), self.within.query())?;
            let is_numbered = workload.status.replicas.wanted > 1 && self.replica.is_none();
            return follow(client, &workload.metadata.uid, is_numbered, query);
        }
        let mut ask = self.within.ask(Ask::get(format!("{PATH}/{}/logs", self.name), query));
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
            print_bytes(&buffer[..count])?;
        }
    }
}

/// Prints what a workload writes until it has ended.
pub(crate) fn follow(client: &Client, uid: &str, is_numbered: bool, query: Query) -> Outcome {
    let mut following = client.follow_output(format!("{PATH}/{uid}/logs"), query)?;
    let mut braid = Braid::new(is_numbered);
    let mut first = None;
    let mut text = Vec::new();
    while let Some(output) = following.next()? {
        if *first.get_or_insert(output.replica) != output.replica {
            braid.number();
        }
        let unreadable = || Failure::new(Exit::Failure, "the server sent output that is none");
        braid.add(output.replica, &output.decoded().ok_or_else(unreadable)?, &mut text);
        print_bytes(&text)?;
        text.clear();
    }
    braid.flush(&mut text);
    print_bytes(&text)
}
