//! Threads that each look after connections of their own. On the runtime that all share, whatever comes in on a
//! connection wakes a second thread that might have helped; where a request costs no more than reading and writing
//! it, that is most of its price.

use std::cell::Cell;
use std::io;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, available_parallelism};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

/// More threads than that would only wait for each other.
const MAX_LANES: usize = 32;
/// Less than what a connection is given for anything that it does again and again.
const PULSE: Duration = Duration::from_secs(5);

thread_local! {
    static HERE: Cell<Option<usize>> = const { Cell::new(None) };
}

/// The lane that this thread is; `None` on every other thread.
pub fn here() -> Option<usize> {
    HERE.get()
}

/// One thread for each core. They end when this is dropped, and with them what they look after.
#[derive(Debug)]
pub struct Lanes {
    lanes: Vec<Lane>,
    turn: AtomicUsize,
}

#[derive(Debug)]
struct Lane {
    handle: Handle,
    /// Dropped, it ends the thread.
    _end: oneshot::Sender<()>,
}

impl Lanes {
    pub fn start(name: &str) -> io::Result<Lanes> {
        let count = available_parallelism().map_or(1, NonZero::get).min(MAX_LANES);
        let lanes = (0..count).map(|number| lane(name, number)).collect::<io::Result<_>>()?;
        Ok(Lanes { lanes, turn: AtomicUsize::new(0) })
    }

    /// Hands a connection to the lane whose turn it is.
    pub fn take<T>(
        &self,
        stream: TcpStream,
        talk: impl FnOnce(TcpStream) -> T + Send + 'static,
    ) -> io::Result<()>
    where
        T: Future<Output = ()> + Send,
    {
        let lane = &self.lanes[self.turn.fetch_add(1, Ordering::Relaxed) % self.lanes.len()];
        // Its new thread is told what happens on it, and no other.
        let stream = stream.into_std()?;
        lane.handle.spawn(async move {
            match TcpStream::from_std(stream) {
                Ok(stream) => talk(stream).await,
                Err(error) => tracing::warn!(%error, "a connection was not taken over"),
            }
        });
        Ok(())
    }
}

fn lane(name: &str, number: usize) -> io::Result<Lane> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let handle = runtime.handle().clone();
    let (end, ended) = oneshot::channel();
    thread::Builder::new().name(format!("{name}-{number}")).spawn(move || {
        HERE.set(Some(number));
        runtime.block_on(async {
            tokio::select! {
                // An error says that the sender was dropped, which is how it ends.
                _ = ended => {}
                () = pulse() => {}
            }
        });
        // A look-up that hangs holds up nobody.
        runtime.shutdown_background();
    })?;
    Ok(Lane { handle, _end: end })
}

/// A timer that is always set. Whoever sets one that is due before all others wakes the thread that waits for it: a
/// lane would wake itself for every request, whose time is measured by a timer or two.
async fn pulse() {
    loop {
        tokio::time::sleep(PULSE).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio::sync::mpsc;

    #[tokio::test]
    async fn connections_are_looked_after_in_turn_by_threads_of_their_own() {
        let lanes = Lanes::start("lane").expect("starts");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("listens");
        let address = listener.local_addr().expect("has one");
        let (sender, mut seen) = mpsc::unbounded_channel();
        let count = lanes.lanes.len();
        for _ in 0..=count {
            let mut caller = TcpStream::connect(address).await.expect("connects");
            let (stream, _) = listener.accept().await.expect("accepts");
            let sender = sender.clone();
            let taken = lanes.take(stream, move |mut stream| async move {
                let _ = stream.write_all(b"x").await;
                let _ = sender.send(here());
            });
            taken.expect("takes");
            assert_eq!(caller.read_u8().await.expect("answers"), b'x');
        }
        drop(sender);
        let mut lanes = Vec::new();
        while let Some(lane) = seen.recv().await {
            lanes.push(lane.expect("a lane's thread"));
        }
        let expected: Vec<usize> = (0..=count).map(|turn| turn % count).collect();
        assert_eq!((lanes, here()), (expected, None));
    }
}
