//! HTTP as bytes: what is sent is what the test says, whatever a good client would make of it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Longest wait for bytes that must come.
const PATIENCE: Duration = Duration::from_secs(60);

/// A connection to the listener of notebooks and services.
pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Names in small letters.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// All of the body came.
    pub(crate) is_whole: bool,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn all(&self, name: &str) -> Vec<&str> {
        self.headers.iter().filter(|(n, _)| n == name).map(|(_, value)| value.as_str()).collect()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Connection {
    pub(crate) fn open(address: &str) -> Connection {
        let stream = TcpStream::connect(address).expect("somebody listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream.set_write_timeout(Some(PATIENCE)).expect("a timeout");
        Connection { stream: BufReader::new(stream) }
    }

    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.get_mut().write_all(bytes.as_ref()).expect("it is taken");
    }

    pub(crate) fn read(&mut self, bytes: &mut [u8]) {
        self.stream.read_exact(bytes).expect("it comes");
    }

    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).expect("a line of text");
        line.trim_end().to_string()
    }

    /// Whether the other side has closed the connection, without a word more.
    pub(crate) fn is_closed(&mut self) -> bool {
        matches!(self.stream.read(&mut [0; 1]), Ok(0) | Err(_))
    }

    /// Status and headers.
    pub(crate) fn head(&mut self) -> Answer {
        let first = self.line();
        let status = first.split(' ').nth(1).and_then(|word| word.parse().ok());
        let status = status.unwrap_or_else(|| panic!("no answer: {first:?}"));
        let mut headers = Vec::new();
        loop {
            let line = self.line();
            let Some((name, value)) = line.split_once(':') else { break };
            headers.push((name.to_ascii_lowercase(), value.trim().to_string()));
        }
        Answer { status, headers, body: Vec::new(), is_whole: true }
    }

    /// One chunk of an answer; empty at the end, nothing if it broke off.
    pub(crate) fn chunk(&mut self) -> Option<Vec<u8>> {
        let size = usize::from_str_radix(&self.line(), 16).ok()?;
        let mut data = vec![0; size + 2];
        self.stream.read_exact(&mut data).ok()?;
        data.truncate(size);
        Some(data)
    }

    /// A whole answer.
    pub(crate) fn answer(&mut self) -> Answer {
        let mut answer = self.head();
        if answer.header("transfer-encoding").is_some() {
            loop {
                match self.chunk() {
                    Some(chunk) if chunk.is_empty() => return answer,
                    Some(chunk) => answer.body.extend(chunk),
                    None => break,
                }
            }
            answer.is_whole = false;
            return answer;
        }
        let length: usize = answer.header("content-length").map_or(0, |text| text.parse().expect("a number"));
        let read = self.stream.by_ref().take(length as u64).read_to_end(&mut answer.body);
        answer.is_whole = read.is_ok() && answer.body.len() == length;
        answer
    }
}

/// One request on a connection of its own. `head` is the first line and headers, without those that every request has.
pub(crate) fn ask(address: &str, head: &str) -> Answer {
    let mut connection = Connection::open(address);
    let (first, rest) = head.split_once('\n').unwrap_or((head, ""));
    let rest: String =
        rest.lines().map(|line| format!("{}\r\n", line.trim())).filter(|line| line != "\r\n").collect();
    connection.send(format!("{first} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{rest}\r\n"));
    connection.answer()
}
