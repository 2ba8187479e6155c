//! What happened, for those who watch: the latest events, numbered, as lines of JSON.
//!
//! A watcher keeps nothing here but the number of the event that it wants next. So a slow one costs no memory and
//! delays nobody: the ring moves on, and who falls out of it is told so.

use super::seal;
use super::waiters::Waiters;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, OnceLock, RwLock};
use std::time::Duration;
use tidegate_engine::ids::{MemberId, WorkloadId, WorkspaceId};
use tokio::sync::{Notify, watch};

/// Events kept for watchers that come back: ten minutes at a hundred a second.
pub const RING: usize = 65_536;
/// Events handed to a watcher at once.
pub const HANDFUL: usize = 256;
/// The least time between two times that all watchers are woken: waking a thousand is work, and people do not
/// notice.
const PAUSE: Duration = Duration::from_millis(10);

/// One event as it is sent.
#[derive(Debug)]
pub struct Line {
    pub number: u64,
    /// Who may be interested: names, for filters.
    pub topic: Topic,
    frame: LazyLock<Frame, Write>,
    opened: OnceLock<Option<Box<str>>>,
}

/// Writes a line out; called once, by whoever wants to read it first.
type Write = Box<dyn FnOnce() -> Frame + Send>;

/// A server-sent event.
#[derive(Debug)]
struct Frame {
    text: Box<str>,
    /// Where the JSON begins.
    data: usize,
}

/// What follows the JSON.
const END: &str = "\n\n";

impl Line {
    /// `data` gives the JSON.
    pub fn new(
        number: u64,
        event: &'static str,
        topic: Topic,
        data: impl FnOnce() -> String + Send + 'static,
    ) -> Line {
        let write = move || {
            let mut text = format!("id: {number}\nevent: {event}\ndata: ");
            let at = text.len();
            text.push_str(&data());
            text.push_str(END);
            Frame { text: text.into(), data: at }
        };
        Line { number, topic, frame: LazyLock::new(Box::new(write)), opened: OnceLock::new() }
    }

    /// As a watcher gets it, with names under seal.
    pub fn frame(&self) -> &str {
        &self.frame.text
    }

    /// As a watcher gets it from whom nothing is hidden.
    pub fn opened(&self) -> &str {
        let open = |text: &str| seal::is_sealed(text).then(|| seal::open_all(text).into());
        let opened = self.opened.get_or_init(|| open(&self.frame.text));
        opened.as_deref().unwrap_or(&self.frame.text)
    }

    /// JSON.
    pub fn data(&self) -> &str {
        &self.frame.text[self.frame.data..self.frame.text.len() - END.len()]
    }
}

/// What an event is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topic {
    pub kind: Kind,
    pub name: Arc<str>,
    /// The quota of a workload, or the quota itself.
    pub quota: Option<Arc<str>>,
    /// The workload, by number: names are used again.
    pub workload: Option<WorkloadId>,
    /// Whose business a record is: a user, a workspace, and what belongs to them.
    pub whose: Option<Whose>,
}

/// Who is concerned, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    Everybody,
    User(MemberId),
    Room(WorkspaceId),
    /// Somebody in a workspace.
    Member(WorkspaceId, MemberId),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    #[default]
    Workload,
    Quota,
    Node,
    Workspace,
    Member,
    Policy,
    Webhook,
    User,
    Role,
    Token,
    PriceBook,
    Template,
    ResourceRequest,
    ResourceConfig,
    Budget,
    Correction,
}

impl Kind {
    pub const ALL: [Kind; 16] = [
        Kind::Workload,
        Kind::Quota,
        Kind::Node,
        Kind::Workspace,
        Kind::Member,
        Kind::Policy,
        Kind::Webhook,
        Kind::User,
        Kind::Role,
        Kind::Token,
        Kind::PriceBook,
        Kind::Template,
        Kind::ResourceRequest,
        Kind::ResourceConfig,
        Kind::Budget,
        Kind::Correction,
    ];

    pub fn word(self) -> &'static str {
        match self {
            Kind::Workload => "workload",
            Kind::Quota => "quota",
            Kind::Node => "node",
            Kind::Workspace => "workspace",
            Kind::Member => "member",
            Kind::Policy => "policy",
            Kind::Webhook => "webhook",
            Kind::User => "user",
            Kind::Role => "role",
            Kind::Token => "token",
            Kind::PriceBook => "price-book",
            Kind::Template => "template",
            Kind::ResourceRequest => "resource-request",
            Kind::ResourceConfig => "resource-config",
            Kind::Budget => "budget",
            Kind::Correction => "correction",
        }
    }

    /// The field of an event that says what it is called.
    pub fn key(self) -> &'static str {
        match self {
            Kind::PriceBook => "priceBook",
            Kind::ResourceRequest => "resourceRequest",
            Kind::ResourceConfig => "resourceConfig",
            kind => kind.word(),
        }
    }
}

/// What a watcher finds when it looks.
#[derive(Debug)]
pub enum Look {
    /// Lines from the number on; the number to look for next.
    Lines(Vec<Arc<Line>>, u64),
    /// The oldest line that is left has this number.
    TooOld(u64),
}

#[derive(Debug)]
struct Ring {
    lines: VecDeque<Arc<Line>>,
    /// Every event below this number that people are told of was in the ring, if it is not too old.
    next: u64,
    /// Events below this number are gone.
    oldest: u64,
}

#[derive(Debug)]
pub struct Hub {
    ring: RwLock<Ring>,
    /// Something was published.
    fresh: Notify,
    /// What watchers were told of.
    news: watch::Sender<u64>,
    /// Who waits for one workload.
    pub waiters: Waiters,
    /// Of those who are told, how many are the server's own.
    insiders: AtomicUsize,
    closed: AtomicBool,
}

impl Hub {
    /// A hub whose first event will have the number `next`.
    pub fn new(next: u64) -> Hub {
        Hub {
            ring: RwLock::new(Ring { lines: VecDeque::new(), next, oldest: next }),
            fresh: Notify::new(),
            news: watch::Sender::new(next),
            waiters: Waiters::default(),
            insiders: AtomicUsize::new(0),
            closed: AtomicBool::new(false),
        }
    }

    /// Nothing more will be watched: who watches is told to go.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        self.news.send_modify(|_| ());
        self.waiters.wake_all();
    }

    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Publishes lines; events up to `next` have happened, told or not.
    pub fn publish(&self, lines: impl IntoIterator<Item = Line>, next: u64) {
        let lines: Vec<Arc<Line>> = lines.into_iter().map(Arc::new).collect();
        let about: Vec<WorkloadId> = lines.iter().filter_map(|line| line.topic.workload).collect();
        {
            let mut ring = self.ring.write().expect("nobody panics while holding the ring");
            ring.next = next;
            ring.lines.extend(lines);
            while ring.lines.len() > RING {
                if let Some(line) = ring.lines.pop_front() {
                    ring.oldest = line.number + 1;
                }
            }
        }
        self.fresh.notify_one();
        self.waiters.wake(about.into_iter());
    }

    /// Wakes watchers when something was published, at most once in a while. Whoever publishes does not wait for it.
    pub async fn herald(&self) {
        loop {
            self.fresh.notified().await;
            self.news.send_replace(self.next());
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Lines with numbers from `from` on, at most a handful.
    pub fn look(&self, from: u64) -> Look {
        let ring = self.ring.read().expect("nobody panics while holding the ring");
        if from < ring.oldest {
            return Look::TooOld(ring.oldest);
        }
        let start = ring.lines.partition_point(|line| line.number < from);
        let lines: Vec<Arc<Line>> = ring.lines.iter().skip(start).take(HANDFUL).cloned().collect();
        let next = if lines.len() == HANDFUL {
            lines.last().map_or(ring.next, |line| line.number + 1)
        } else {
            ring.next
        };
        Look::Lines(lines, next)
    }

    /// The number of the next event.
    pub fn next(&self) -> u64 {
        self.ring.read().expect("nobody panics while holding the ring").next
    }

    /// Tells when something was published.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    /// As `subscribe`, for a part of the server that stays as long as it does.
    pub fn subscribe_inside(&self) -> watch::Receiver<u64> {
        self.insiders.fetch_add(1, Ordering::Relaxed);
        self.news.subscribe()
    }

    /// How many watch.
    pub fn watchers(&self) -> usize {
        self.news.receiver_count().saturating_sub(self.insiders.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(number: u64) -> Line {
        Line::new(number, "queued", Topic::default(), move || number.to_string())
    }

    #[test]
    fn a_watcher_sees_every_line_once() {
        let hub = Hub::new(10);
        hub.publish((10..1_000).filter(|n| n % 3 == 0).map(line), 1_000);
        let (mut from, mut seen) = (10, Vec::new());
        while from < hub.next() {
            match hub.look(from) {
                Look::Lines(lines, next) => {
                    seen.extend(lines.iter().map(|line| line.number));
                    from = next;
                }
                Look::TooOld(_) => panic!("nothing is too old"),
            }
        }
        assert_eq!(seen, (10..1_000).filter(|n| n % 3 == 0).collect::<Vec<u64>>());
        assert!(matches!(hub.look(1_000), Look::Lines(lines, 1_000) if lines.is_empty()));
    }

    #[test]
    fn who_is_too_slow_is_told_what_is_left() {
        let hub = Hub::new(0);
        hub.publish((0..RING as u64 + 5).map(line), RING as u64 + 5);
        assert!(matches!(hub.look(4), Look::TooOld(5)));
        assert!(matches!(hub.look(5), Look::Lines(lines, _) if lines[0].number == 5));
    }

    #[test]
    fn what_was_before_the_hub_is_too_old() {
        assert!(matches!(Hub::new(7).look(6), Look::TooOld(7)));
        assert!(matches!(Hub::new(7).look(7), Look::Lines(lines, 7) if lines.is_empty()));
    }

    #[test]
    fn a_line_is_a_server_sent_event() {
        let line = line(7);
        assert_eq!(line.frame(), "id: 7\nevent: queued\ndata: 7\n\n");
        assert_eq!(line.data(), "7");
    }
}
