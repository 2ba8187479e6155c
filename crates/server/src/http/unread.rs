//! Bodies that nobody has read. A connection with unread bytes is closed, and whatever its caller sends next is lost:
//! so what a handler leaves of a body is taken in before the answer goes out.

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

/// How much is taken in, and for how long. What is longer, or comes too late, costs its sender the connection.
const BYTES: usize = 64 << 10;
const TIME: Duration = Duration::from_secs(1);

/// Where a body is put by whoever drops it before its end.
#[derive(Clone, Debug, Default)]
pub(super) struct Left(Arc<Mutex<Option<Body>>>);

impl Left {
    /// The same body, which comes back here if it is dropped.
    pub(super) fn lend(&self, body: Body) -> Body {
        if body.is_end_stream() {
            return body;
        }
        Body::new(Lent { body, left: self.clone() })
    }

    /// Takes in what was left.
    pub(super) async fn take_in(&self) {
        let left = self.0.lock().expect("nobody panics here").take();
        if let Some(body) = left {
            take_in(body).await;
        }
    }
}

/// Takes in a body that nobody reads.
pub(super) async fn take_in(body: Body) {
    let _ = tokio::time::timeout(TIME, axum::body::to_bytes(body, BYTES)).await;
}

struct Lent {
    body: Body,
    left: Left,
}

impl HttpBody for Lent {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if !self.body.is_end_stream() {
            let body = std::mem::take(&mut self.body);
            *self.left.0.lock().expect("nobody panics here") = Some(body);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_dropped_comes_back_and_what_was_read_does_not() {
        let left = Left::default();
        drop(left.lend(Body::from("unread")));
        let back = left.0.lock().expect("free").take().expect("it came back");
        assert_eq!(&axum::body::to_bytes(back, 100).await.expect("reads")[..], b"unread");
        let read = axum::body::to_bytes(left.lend(Body::from("read")), 100).await.expect("reads");
        assert_eq!((&read[..], left.0.lock().expect("free").is_none()), (&b"read"[..], true));
        drop(left.lend(Body::empty()));
        assert!(left.0.lock().expect("free").is_none());
    }
}
