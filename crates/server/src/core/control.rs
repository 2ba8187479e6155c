//! The control loop: one writer; requests in, events made durable, answers out.
//!
//! A request is a function on a [`Deck`]. The writer runs all requests that wait, one after the other, and hands
//! over what they brought about to the journal, which makes it durable with one append and then answers them all.
//! Meanwhile the writer decides the requests that came since. Who reads sees the world at once, and is answered when
//! what it saw is durable.
//!
//! **Invariant:** whoever is answered is answered after all that it has seen is durable, and in the order of the log.
//!
//! **Invariant:** an append that fails undoes itself and everything that was decided after it.

use super::clock::Clock;
use super::deck::{Deck, Prepared};
use super::entry::Origin;
use super::hub::Hub;
use super::intake::Door;
pub use super::intake::MAX_WAITING;
use super::recovery::Read;
use super::tail::Tail;
use super::vital::Vitals;
use super::world::World;
use crate::metrics::Counted;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, RwLock, RwLockReadGuard};
use tidegate_engine::ids::Tick;
use tidegate_identity::People;
use tokio::sync::{Semaphore, oneshot, watch};

/// Previews at once: each works on a copy of the books.
const MAX_PREVIEWS: usize = 2;

/// Why a request was not carried out, though there may be nothing wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unavailable {
    /// Too many wait already.
    Busy,
    /// The store did not take it: nothing has changed.
    Store { what: Arc<str>, full: bool },
    /// The server is going down.
    Closing,
    /// A preview panicked: it worked on a copy, and nothing else is touched.
    Defect,
}

/// Tells the requester how it went, once that is certain.
pub(super) type Answer = Box<dyn FnOnce(Result<(), Unavailable>) + Send>;

/// A request on its way to the writer.
pub(super) struct Job {
    pub(super) origin: Origin,
    pub(super) work: Box<dyn FnOnce(&mut Deck<'_>) -> Answer + Send>,
}

/// How far the log is durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Durable {
    /// Events below this number are.
    pub(super) next: u64,
    /// How often an append failed: what was seen of the world before may have been undone.
    pub(super) failures: u64,
}

/// What the writer and those who read share.
#[derive(Debug)]
pub struct Shared {
    pub(super) world: RwLock<World>,
    /// As in the world, for those who let people in: they do not wait for the writer.
    people: RwLock<Arc<People>>,
    pub(super) durable: watch::Sender<Durable>,
    pub hub: Hub,
    pub(super) tail: Tail,
    pub clock: Clock,
    pub(super) metrics: Counted,
    previews: Semaphore,
    /// Why nothing is taken at present: the store failed a moment ago.
    refusing: Mutex<Option<Unavailable>>,
    pub(super) closing: AtomicBool,
    pub(super) vitals: Vitals,
}

impl Shared {
    pub(super) fn new(read: Read, clock: Clock) -> Shared {
        let next = read.world.next;
        let people = RwLock::new(Arc::new(read.world.people.clone()));
        let hub = Hub::new(read.oldest);
        hub.publish(read.lines, next);
        Shared {
            world: RwLock::new(read.world),
            people,
            durable: watch::Sender::new(Durable { next, failures: 0 }),
            hub,
            tail: Tail::default(),
            clock,
            metrics: Counted::new(),
            previews: Semaphore::new(MAX_PREVIEWS),
            refusing: Mutex::default(),
            closing: AtomicBool::new(false),
            vitals: Vitals::default(),
        }
    }

    pub(super) fn world(&self) -> RwLockReadGuard<'_, World> {
        self.world.read().expect("the writer does not panic while it decides")
    }

    /// Lets everybody know who there is now.
    pub(super) fn publish_people(&self, world: &mut World) {
        if std::mem::take(&mut world.people_changed) {
            *self.people.write().expect("nobody panics here") = Arc::new(world.people.clone());
        }
    }

    pub(super) fn refuse(&self, why: Option<Unavailable>) {
        *self.refusing.lock().expect("nobody panics here") = why;
    }

    /// Whether changes are taken at present. While the store fails, nobody is let in to change a world that would
    /// have to be read again from the log.
    fn taking(&self) -> Result<(), Unavailable> {
        self.refusing.lock().expect("nobody panics here").clone().map_or(Ok(()), Err)
    }
}

/// The way to the world for everybody but the writer.
#[derive(Clone, Debug)]
pub struct Control {
    pub(super) shared: Arc<Shared>,
    pub(super) door: Arc<Door>,
}

impl std::fmt::Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Job").field("origin", &self.origin).finish_non_exhaustive()
    }
}

pub(super) fn job<R: Send + 'static>(
    origin: Origin,
    work: impl FnOnce(&mut Deck<'_>) -> R + Send + 'static,
) -> (Job, oneshot::Receiver<Result<R, Unavailable>>) {
    let (sender, receiver) = oneshot::channel();
    let work = Box::new(move |deck: &mut Deck<'_>| {
        let value = work(deck);
        Box::new(move |outcome: Result<(), Unavailable>| {
            // Whoever asked may have gone away; what was decided stands.
            let _ = sender.send(outcome.map(|()| value));
        }) as Answer
    });
    (Job { origin, work }, receiver)
}

impl Control {
    /// Lets the writer end: whoever asks from now on is told that the server goes down.
    pub fn close(&self) {
        self.shared.closing.store(true, Ordering::Relaxed);
        self.door.close();
    }

    /// Who there is. Somebody may have come whose coming is not durable yet: nobody has been told a secret of theirs.
    pub fn people(&self) -> Arc<People> {
        self.shared.people.read().expect("nobody panics here").clone()
    }

    pub fn hub(&self) -> &Hub {
        &self.shared.hub
    }

    pub fn tail(&self) -> &Tail {
        &self.shared.tail
    }

    pub fn clock(&self) -> &Clock {
        &self.shared.clock
    }

    /// Whether all threads live that nothing works without.
    pub fn vitals(&self) -> &Vitals {
        &self.shared.vitals
    }

    pub fn metrics(&self) -> &Counted {
        &self.shared.metrics
    }

    /// Changes the world. Answers when the change is durable.
    pub async fn write<R: Send + 'static>(
        &self,
        origin: Origin,
        work: impl FnOnce(&mut Deck<'_>) -> R + Send + 'static,
    ) -> Result<R, Unavailable> {
        self.shared.taking()?;
        let (job, answer) = job(origin, work);
        self.door.try_put(job)?;
        answer.await.unwrap_or(Err(Unavailable::Closing))
    }

    /// As `write`, for a thread of the server's own: waits for its turn however many are before it.
    pub fn write_blocking<R: Send + 'static>(
        &self,
        origin: Origin,
        work: impl FnOnce(&mut Deck<'_>) -> R + Send + 'static,
    ) -> Result<R, Unavailable> {
        self.shared.taking()?;
        let (job, answer) = job(origin, work);
        self.door.put(job)?;
        answer.blocking_recv().unwrap_or(Err(Unavailable::Closing))
    }

    /// As `write_blocking`, without waiting for the answer: whoever gives it calls `after`, and nobody does if the
    /// server goes down first.
    pub fn write_later<R: Send + 'static>(
        &self,
        origin: Origin,
        work: impl FnOnce(&mut Deck<'_>) -> R + Send + 'static,
        after: impl FnOnce(Result<R, Unavailable>) + Send + 'static,
    ) -> Result<(), Unavailable> {
        self.shared.taking()?;
        let work = Box::new(move |deck: &mut Deck<'_>| {
            let value = work(deck);
            Box::new(move |outcome: Result<(), Unavailable>| after(outcome.map(|()| value))) as Answer
        });
        self.door.put(Job { origin, work })
    }

    /// What a change would do: the same function, on a copy that is thrown away.
    pub async fn preview<R: Send + 'static>(
        &self,
        origin: Origin,
        work: impl FnOnce(&mut Deck<'_>) -> R + Send + 'static,
    ) -> Result<(R, Prepared), Unavailable> {
        let _turn = self.shared.previews.acquire().await.map_err(|_| Unavailable::Closing)?;
        let shared = self.shared.clone();
        let copied = move || {
            let (mut copy, failures) = {
                let world = shared.world();
                (world.clone(), shared.durable.borrow().failures)
            };
            let seen = copy.next;
            let mut deck = Deck::new(&mut copy, shared.clock.now(), origin);
            let value = work(&mut deck);
            (value, deck.finish(), seen, failures)
        };
        let (value, prepared, seen, failures) =
            tokio::task::spawn_blocking(copied).await.map_err(|ended| match ended.is_panic() {
                true => Unavailable::Defect,
                false => Unavailable::Closing,
            })?;
        match self.until_durable(seen, failures).await? {
            true => Ok((value, prepared)),
            false => Err(Unavailable::Store { what: "what was looked at was undone".into(), full: false }),
        }
    }

    /// Looks at the world. Answers when all that was seen is durable; looks again if it was undone.
    pub async fn read<R>(&self, mut look: impl FnMut(&World, Tick) -> R) -> Result<R, Unavailable> {
        loop {
            let (value, seen, failures) = {
                let world = self.shared.world();
                let failures = self.shared.durable.borrow().failures;
                (look(&world, self.shared.clock.now()), world.next, failures)
            };
            if self.until_durable(seen, failures).await? {
                return Ok(value);
            }
        }
    }

    /// Whether the store takes changes, as far as is known.
    pub async fn ready(&self) -> Result<(), Unavailable> {
        self.shared.taking()?;
        self.read(|_, _| ()).await
    }

    /// Looks at the world as it is, durable or not: for threads of the server's own.
    pub fn read_blocking<R>(&self, look: impl FnOnce(&World) -> R) -> R {
        look(&self.shared.world())
    }

    /// Whether what was seen has become durable; if not, it was undone.
    async fn until_durable(&self, seen: u64, failures: u64) -> Result<bool, Unavailable> {
        let mut durable = self.shared.durable.subscribe();
        let reached = durable.wait_for(|now| now.next >= seen || now.failures > failures).await;
        let now = reached.map_err(|_| Unavailable::Closing)?;
        Ok(now.failures == failures)
    }
}
