//! Connections that went over to another protocol: bytes both ways, until either side has enough.

use super::Apps;
use super::replica::Occupied;
use super::site::Site;
use crate::core::control::Control;
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf, copy_bidirectional_with_sizes};
use tokio::sync::OwnedSemaphorePermit;

/// Bytes on their way in each direction.
const BUFFER: usize = 16 << 10;

/// Passes on what caller and replica say to each other. It counts as a request of the replica's for as long.
pub(super) fn open(
    apps: &Apps,
    site: &Arc<Site>,
    caller: OnUpgrade,
    replica: OnUpgrade,
    occupied: Occupied,
    permit: OwnedSemaphorePermit,
) {
    let (site, control, mut closing) = (site.clone(), apps.control.clone(), apps.closing.subscribe());
    tokio::spawn(async move {
        let talk = async {
            let (caller, replica) = tokio::try_join!(caller, replica)?;
            let mut caller = Used { stream: TokioIo::new(caller), site, control };
            let mut replica = TokioIo::new(replica);
            // An end that breaks off is an end.
            let _ = copy_bidirectional_with_sizes(&mut caller, &mut replica, BUFFER, BUFFER).await;
            Ok::<_, hyper::Error>(())
        };
        tokio::select! {
            ended = talk => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "a change of protocol came to nothing");
                }
            }
            _ = closing.wait_for(|closing| *closing) => {}
        }
        drop((occupied, permit));
    });
}

/// A caller: whatever it says is use of the site.
struct Used {
    stream: TokioIo<Upgraded>,
    site: Arc<Site>,
    control: Control,
}

impl AsyncRead for Used {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if read.is_ready() {
            self.site.touch(self.control.clock().now());
        }
        read
    }
}

impl AsyncWrite for Used {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
