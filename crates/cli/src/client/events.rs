//! Watching: events as they happen, resumed where the connection broke.

use super::{Ask, Client, Query};
use crate::clock;
use crate::exit::{Exit, Failure, Outcome};
use std::io::{BufRead, BufReader};
use std::time::Duration;
use tidegate_api::Code;
use tidegate_api::event::Event;
use ureq::BodyReader;

/// Tries to get a lost connection back, a second apart.
pub(super) const PATIENCE: u32 = 30;
pub(super) const PAUSE: Duration = Duration::from_secs(1);

/// What a watch tells.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum News {
    Event(Box<Event>),
    /// Events were missed: whoever needs the state reads it again.
    Missed,
}

pub(crate) struct Watch<'a> {
    client: &'a Client,
    query: Query,
    last: Option<u64>,
    stream: Option<BufReader<BodyReader<'static>>>,
}

impl Client {
    /// Begins to watch: everything from now on is told.
    pub(crate) fn watch(&self, query: Query) -> Outcome<Watch<'_>> {
        let mut watch = Watch { client: self, query, last: None, stream: None };
        watch.open()?;
        Ok(watch)
    }
}

impl Watch<'_> {
    fn open(&mut self) -> Outcome {
        let mut ask = Ask::get("/api/v1/watch", self.query.clone());
        ask.last_event = self.last;
        ask.is_stream = true;
        self.stream = self.client.send(&ask)?.stream().map(BufReader::new);
        Ok(())
    }

    /// The server went away between two events: what comes next is that something was missed.
    pub(crate) fn lose(&mut self) {
        (self.stream, self.last) = (None, None);
    }

    /// The next event. Blocks until there is one.
    pub(crate) fn next(&mut self) -> Outcome<News> {
        loop {
            let Some(stream) = &mut self.stream else {
                if self.reopen()? {
                    return Ok(News::Missed);
                }
                continue;
            };
            match read(stream) {
                Some(Message { word, number, data }) => {
                    self.last = number.or(self.last);
                    if word == "expired" {
                        (self.stream, self.last) = (None, None);
                        self.open()?;
                        return Ok(News::Missed);
                    }
                    // An event of a later server that we cannot read is still news.
                    return Ok(serde_json::from_str(&data).map_or(News::Missed, |e| News::Event(Box::new(e))));
                }
                None => self.stream = None,
            }
        }
    }

    /// Whether events were missed meanwhile.
    fn reopen(&mut self) -> Outcome<bool> {
        // Without an event yet there is no place to go on from: what happened meanwhile is unknown.
        let mut missed = self.last.is_none();
        for left in (0..PATIENCE).rev() {
            match self.open() {
                Ok(()) => return Ok(missed),
                Err(failure) if failure.problem == Some(Code::Expired) => {
                    self.last = None;
                    missed = true;
                }
                Err(failure) if failure.is(Exit::Unreachable) && left > 0 => clock::pause(PAUSE),
                Err(failure) => return Err(failure),
            }
        }
        Err(Failure::new(Exit::Unreachable, format!("{} does not answer", self.client.server())))
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) word: String,
    number: Option<u64>,
    pub(super) data: String,
}

/// The next message of a stream of server-sent events; `None` at its end, however it ended.
pub(super) fn read(stream: &mut impl BufRead) -> Option<Message> {
    let mut message = Message::default();
    let mut line = String::new();
    loop {
        line.clear();
        if stream.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let text = line.trim_end_matches(['\r', '\n']);
        if text.is_empty() {
            if message.data.is_empty() {
                message = Message::default();
                continue;
            }
            return Some(message);
        }
        let (field, value) = text.split_once(':').unwrap_or((text, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "id" => message.number = value.parse().ok(),
            "event" => message.word = value.into(),
            "data" if message.data.is_empty() => message.data = value.into(),
            "data" => message.data = format!("{}\n{value}", message.data),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_from_heartbeats() {
        let text = ": still here\n\nid: 4\nevent: queued\ndata: {\"a\":1}\n\n: x\n\nevent: expired\ndata: {}\n\ndata: cut";
        let mut stream = text.as_bytes();
        let first = Message { word: "queued".into(), number: Some(4), data: "{\"a\":1}".into() };
        assert_eq!(read(&mut stream), Some(first));
        assert_eq!(read(&mut stream).map(|message| message.word), Some("expired".into()));
        assert_eq!(read(&mut stream), None);
    }
}
