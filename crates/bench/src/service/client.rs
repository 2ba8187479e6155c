//! HTTP/1.1 with as little work as can be: requests are bytes that were built before.

use std::io;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The bytes of a request.
pub fn request(method: &str, path: &str, token: &str, headers: &str, body: &str) -> Vec<u8> {
    let kind = if body.is_empty() { "" } else { "Content-Type: application/json\r\n" };
    format!(
        "{method} {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n{headers}{kind}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// A connection that is kept.
#[derive(Debug)]
pub struct Connection {
    pub stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    pub async fn open(address: SocketAddr) -> io::Result<Connection> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Connection { stream, buffer: Vec::with_capacity(64 << 10) })
    }

    /// Sends a request and reads the answer. An answer that is not 2xx is an error.
    pub async fn ask(&mut self, request: &[u8]) -> io::Result<()> {
        self.stream.write_all(request).await?;
        self.buffer.clear();
        let head = loop {
            self.more().await?;
            if let Some(end) = find(&self.buffer, b"\r\n\r\n") {
                break end + 4;
            }
        };
        let length = content_length(&self.buffer[..head])
            .ok_or_else(|| io::Error::other("an answer without a length"))?;
        while self.buffer.len() < head + length {
            self.more().await?;
        }
        if self.buffer.starts_with(b"HTTP/1.1 2") {
            return Ok(());
        }
        Err(io::Error::other(String::from_utf8_lossy(&self.buffer).into_owned()))
    }

    async fn more(&mut self) -> io::Result<()> {
        match self.stream.read_buf(&mut self.buffer).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }

    /// What was answered last.
    pub fn answer(&self) -> &[u8] {
        &self.buffer
    }
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

fn content_length(head: &[u8]) -> Option<usize> {
    const NAME: &[u8] = b"\r\ncontent-length: ";
    let start = find(head, NAME)? + NAME.len();
    let digits = head[start..].iter().take_while(|byte| byte.is_ascii_digit());
    Some(digits.fold(0, |sum, digit| sum * 10 + usize::from(digit - b'0')))
}
