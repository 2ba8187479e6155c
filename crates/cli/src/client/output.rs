//! Output as it is written, resumed where the connection broke.

use super::events::{Message, PATIENCE, PAUSE, read};
use super::{Ask, Client, Query};
use crate::clock;
use crate::exit::{Exit, Failure, Outcome};
use std::collections::BTreeMap;
use std::io::BufReader;
use tidegate_api::output::Output;
use ureq::BodyReader;

/// What a workload writes, as it comes.
pub(crate) struct Following<'a> {
    client: &'a Client,
    path: String,
    query: Query,
    /// Up to where each replica's output was read.
    places: BTreeMap<u32, String>,
    stream: Option<BufReader<BodyReader<'static>>>,
}

impl Client {
    /// Begins to follow.
    pub(crate) fn follow_output(&self, path: String, mut query: Query) -> Outcome<Following<'_>> {
        query.push(("follow", "true".into()));
        let mut following = Following { client: self, path, query, places: BTreeMap::new(), stream: None };
        following.open()?;
        Ok(following)
    }
}

impl Following<'_> {
    fn open(&mut self) -> Outcome {
        let mut ask = Ask::get(self.path.clone(), self.query.clone());
        if !self.places.is_empty() {
            let places: Vec<&str> = self.places.values().map(String::as_str).collect();
            ask.query.push(("after", places.join(",")));
        }
        (ask.is_stream, ask.accept) = (true, Some("text/event-stream"));
        self.stream = self.client.send(&ask)?.stream().map(BufReader::new);
        Ok(())
    }

    /// The next piece. Blocks until there is one; `None` when the workload has ended and all is told.
    pub(crate) fn next(&mut self) -> Outcome<Option<Output>> {
        loop {
            let Some(stream) = &mut self.stream else {
                self.reopen()?;
                continue;
            };
            match read(stream) {
                Some(Message { word, .. }) if word == "end" => return Ok(None),
                Some(Message { data, .. }) => {
                    // What a later server tells beside output is not for us.
                    let Ok(output) = serde_json::from_str::<Output>(&data) else { continue };
                    self.places.insert(output.replica, output.at.clone());
                    return Ok(Some(output));
                }
                None => self.stream = None,
            }
        }
    }

    fn reopen(&mut self) -> Outcome {
        for _ in 1..PATIENCE {
            match self.open() {
                Err(failure) if failure.is(Exit::Unreachable) => clock::pause(PAUSE),
                outcome => return outcome,
            }
        }
        Err(Failure::new(Exit::Unreachable, format!("{} does not answer", self.client.server())))
    }
}
