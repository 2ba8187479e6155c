//! Connections to replicas. One is driven by whoever uses it: a request takes no turn on another thread on its way.

use super::limits::MAX_HEAD;
use super::replica::Occupied;
use super::site::Visit;
use axum::http::{Request, Response};
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::client::conn::http1::{Builder, Connection, SendRequest};
use hyper_util::rt::TokioIo;
use std::error::Error;
use std::future::poll_fn;
use std::io;
use std::net::Ipv4Addr;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::Sleep;

type Cause = Box<dyn Error + Send + Sync>;

/// A connection to a replica.
#[derive(Debug)]
pub(super) struct Link {
    sender: SendRequest<Outgoing>,
    /// Gone when it has ended. Large, and handed around for every request.
    connection: Option<Box<Connection<TokioIo<TcpStream>, Outgoing>>>,
}

/// Why nothing was answered, and the request if none of it was sent.
pub(super) type Unanswered = (hyper::Error, Option<Request<Outgoing>>);

impl Link {
    pub(super) async fn connect(port: u16) -> io::Result<TcpStream> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    pub(super) async fn over(stream: TcpStream) -> hyper::Result<Link> {
        let mut builder = Builder::new();
        let handshake = builder.max_buf_size(MAX_HEAD).handshake(TokioIo::new(stream));
        let (sender, connection) = handshake.await?;
        Ok(Link { sender, connection: Some(Box::new(connection)) })
    }

    /// Whether a connection that was kept can take a request: the replica may have closed it meanwhile.
    pub(super) async fn is_usable(&mut self) -> bool {
        poll_fn(|cx| {
            self.drive(cx);
            let ready = matches!(self.sender.poll_ready(cx), Poll::Ready(Ok(())));
            Poll::Ready(ready && self.connection.is_some())
        })
        .await
    }

    fn drive(&mut self, cx: &mut Context<'_>) {
        if self.connection.as_mut().is_some_and(|connection| Pin::new(connection).poll(cx).is_ready()) {
            self.connection = None;
        }
    }

    /// Sends a request; the head of the answer. The rest comes while the link is driven.
    pub(super) async fn send(
        mut self,
        request: Request<Outgoing>,
    ) -> Result<(Response<Incoming>, Link), Unanswered> {
        let mut answer = pin!(self.sender.try_send_request(request));
        let answered = poll_fn(|cx| {
            self.drive(cx);
            answer.as_mut().poll(cx)
        });
        match answered.await {
            Ok(answer) => Ok((answer, self)),
            Err(mut error) => {
                let request = error.take_message();
                Err((error.into_error(), request))
            }
        }
    }

    /// As `send`, for a request to go over to another protocol: the connection lives on by itself.
    pub(super) async fn send_upgrade(
        mut self,
        request: Request<Outgoing>,
    ) -> Result<Response<Incoming>, Unanswered> {
        if let Some(connection) = self.connection.take() {
            tokio::spawn(async move {
                // Whoever waits for an answer hears of it.
                let _ = connection.with_upgrades().await;
            });
        }
        self.sender.try_send_request(request).await.map_err(|mut error| {
            let request = error.take_message();
            (error.into_error(), request)
        })
    }
}

/// The body of a request on its way to a replica.
#[derive(Debug)]
pub(super) struct Outgoing {
    body: Option<Incoming>,
    /// A caller that sends nothing for so long is given up.
    patience: Duration,
    deadline: Option<Pin<Box<Sleep>>>,
}

impl Outgoing {
    pub(super) fn empty() -> Outgoing {
        Outgoing { body: None, patience: Duration::ZERO, deadline: None }
    }

    pub(super) fn of(body: Incoming, patience: Duration) -> Outgoing {
        let body = (!body.is_end_stream()).then_some(body);
        Outgoing { body, patience, deadline: None }
    }
}

impl Body for Outgoing {
    type Data = Bytes;
    type Error = Cause;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Cause>>> {
        let this = &mut *self;
        let Some(body) = &mut this.body else { return Poll::Ready(None) };
        if let Poll::Ready(frame) = Pin::new(body).poll_frame(cx) {
            this.deadline = None;
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let patience = this.patience;
        let deadline = this.deadline.get_or_insert_with(|| Box::pin(tokio::time::sleep(patience)));
        match deadline.as_mut().poll(cx) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(()) => Poll::Ready(Some(Err("the caller sends nothing more".into()))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or(SizeHint::with_exact(0), Body::size_hint)
    }
}

/// The body of an answer on its way to the caller.
#[derive(Debug)]
pub(super) struct Answered {
    body: Incoming,
    link: Option<Link>,
    occupied: Occupied,
    _visit: Visit,
}

impl Answered {
    pub(super) fn new(body: Incoming, link: Option<Link>, occupied: Occupied, visit: Visit) -> Answered {
        Answered { body, link, occupied, _visit: visit }
    }

    /// The link may serve the next request, if nothing of this one is left.
    fn give_back(&mut self) {
        if let Some(link) =
            self.link.take().filter(|link| link.connection.is_some() && link.sender.is_ready())
        {
            self.occupied.replica().put_back(link);
        }
    }
}

impl Body for Answered {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let this = &mut *self;
        let mut polled = Pin::new(&mut this.body).poll_frame(cx);
        if polled.is_pending()
            && let Some(link) = &mut this.link
        {
            link.drive(cx);
            polled = Pin::new(&mut this.body).poll_frame(cx);
        }
        if matches!(polled, Poll::Ready(None)) {
            this.give_back();
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Answered {
    fn drop(&mut self) {
        if self.body.is_end_stream() {
            self.give_back();
        }
    }
}
