//! Who does not take what is sent to it is cut off: a connection that is stuck holds memory and a place.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

/// A stream whose writes fail once the other side has taken nothing for a while.
#[derive(Debug)]
pub struct Stalling<S> {
    inner: S,
    patience: Duration,
    /// Set while a write waits.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl<S> Stalling<S> {
    pub fn new(inner: S, patience: Duration) -> Stalling<S> {
        Stalling { inner, patience, deadline: None }
    }

    /// Passes on what a write came to; if it waits, only until the deadline.
    fn bound<T>(&mut self, cx: &mut Context<'_>, wrote: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if wrote.is_ready() {
            self.deadline = None;
            return wrote;
        }
        let patience = self.patience;
        let deadline = self.deadline.get_or_insert_with(|| Box::pin(tokio::time::sleep(patience)));
        ready!(deadline.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client takes nothing")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Stalling<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Stalling<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.inner).poll_write(cx, bytes);
        self.bound(cx, wrote)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.inner).poll_write_vectored(cx, bytes);
        self.bound(cx, wrote)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.inner).poll_flush(cx);
        self.bound(cx, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::time::Instant;

    const STALL: Duration = Duration::from_secs(10);

    fn in_virtual_time(test: impl Future<Output = ()>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.expect("a runtime").block_on(test);
    }

    #[test]
    fn who_takes_nothing_is_cut_off() {
        in_virtual_time(async {
            let (ours, _theirs) = tokio::io::duplex(8);
            let mut ours = Stalling::new(ours, STALL);
            let start = Instant::now();
            let error = ours.write_all(&[0; 9]).await.expect_err("it is full");
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
            assert_eq!(start.elapsed(), STALL);
        });
    }

    #[test]
    fn who_is_slow_is_not() {
        in_virtual_time(async {
            let (ours, mut theirs) = tokio::io::duplex(8);
            let mut ours = Stalling::new(ours, STALL);
            let reading = async move {
                for _ in 0..8 {
                    tokio::time::sleep(STALL / 2).await;
                    theirs.read_exact(&mut [0; 8]).await.expect("it comes");
                }
            };
            let (wrote, ()) = tokio::join!(ours.write_all(&[0; 64]), reading);
            wrote.expect("it is taken");
        });
    }
}
