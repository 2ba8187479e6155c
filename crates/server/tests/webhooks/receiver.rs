//! Whom messages are sent to.

use super::authority;
use super::house::pause;
use rustls::ServerConfig;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A message as it came.
#[derive(Clone, Debug)]
pub(crate) struct Got {
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Got {
    pub(crate) fn header(&self, name: &str) -> &str {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value).next().unwrap_or("")
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }
}

/// Takes messages, and answers what it is told to.
#[derive(Clone)]
pub(crate) struct Receiver {
    port: u16,
    /// Under TLS, if it is there.
    tls: Option<Arc<ServerConfig>>,
    got: Arc<Mutex<Vec<Got>>>,
    answer: Arc<Mutex<String>>,
}

impl Receiver {
    pub(crate) fn new() -> Receiver {
        Receiver::with(None)
    }

    /// One that is reached over TLS.
    pub(crate) fn secure(tls: Arc<ServerConfig>) -> Receiver {
        Receiver::with(Some(tls))
    }

    fn with(tls: Option<Arc<ServerConfig>>) -> Receiver {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let answer = Arc::new(Mutex::new("204 No Content".to_string()));
        let receiver = Receiver { port, tls, got: Arc::default(), answer };
        let taking = receiver.clone();
        std::thread::spawn(move || {
            listener.incoming().flatten().for_each(|stream| match &taking.tls {
                None => taking.take(stream),
                Some(tls) => taking.take(authority::accept(tls, stream)),
            });
        });
        receiver
    }

    pub(crate) fn url(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://127.0.0.1:{}/hook?x=1", self.port)
    }

    pub(crate) fn answer(&self, status: &str) {
        *self.answer.lock().expect("whole") = status.to_string();
    }

    fn take(&self, stream: impl Read + Write) {
        let mut reader = BufReader::new(stream);
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 || line == "\r\n" {
                break;
            }
            if let Some(value) = line.to_lowercase().strip_prefix("content-length: ") {
                length = value.trim().parse().expect("a length");
            }
            head.push_str(&line.replace('\r', ""));
        }
        let mut body = vec![0; length];
        // Who hangs up, as after a handshake that came to nothing, has sent no message.
        if head.is_empty() || reader.read_exact(&mut body).is_err() {
            return;
        }
        let answer = self.answer.lock().expect("whole").clone();
        if answer != "silence" {
            let _ = write!(reader.get_mut(), "HTTP/1.1 {answer}\r\nContent-Length: 0\r\n\r\n");
        }
        let body = String::from_utf8(body).expect("text");
        self.got.lock().expect("whole").push(Got { head, body });
        if answer == "silence" {
            pause(Duration::from_secs(1));
        }
    }

    pub(crate) fn got(&self) -> Vec<Got> {
        self.got.lock().expect("whole").clone()
    }
}
