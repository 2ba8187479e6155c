//! Follows the log, writes messages, and carries them.

use super::ledger::{Kept, Ledger};
use super::post::{Message, Outcome, Post};
use super::{HookLimits, notices};
use crate::audit::gone;
use crate::core::control::Control;
use crate::core::entry::Body;
use crate::core::notices::waited_too_long;
use serde_json::json;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use tidegate_api::time::Time;
use tidegate_engine::Event;
use tidegate_engine::ids::{Tick, WorkloadId, WorkspaceId};
use tidegate_identity::record::Webhook;
use tidegate_store::{Reader, StoreError};
use tokio::sync::Notify;
use tokio::task::JoinSet;

/// Within the data directory.
const FILE: &str = "webhooks.db";
/// Entries of the log that are followed at once.
const BATCH: usize = 128;
/// Messages on their way at one time, one for each webhook: a receiver that is slow delays nobody else's.
const MAX_FLIGHTS: usize = 64;

/// Cheap to clone.
#[derive(Clone, Debug)]
pub struct Hooks(Arc<Parts>);

struct Parts {
    control: Control,
    reader: Mutex<Box<dyn Reader>>,
    ledger: Arc<Mutex<Ledger>>,
    post: Post,
    limits: HookLimits,
    /// Somebody wants a message to be sent now.
    stir: Notify,
}

impl std::fmt::Debug for Parts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hooks").field("post", &self.post).finish_non_exhaustive()
    }
}

/// Why following did not get on.
#[derive(Debug)]
enum Stuck {
    Store(StoreError),
    Ledger(rusqlite::Error),
}

impl std::fmt::Display for Stuck {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Stuck::Store(error) => write!(f, "{error}"),
            Stuck::Ledger(error) => write!(f, "{FILE}: {error}"),
        }
    }
}

impl From<rusqlite::Error> for Stuck {
    fn from(error: rusqlite::Error) -> Stuck {
        Stuck::Ledger(error)
    }
}

impl From<StoreError> for Stuck {
    fn from(error: StoreError) -> Stuck {
        Stuck::Store(error)
    }
}

impl Hooks {
    pub fn open(
        control: Control,
        reader: Box<dyn Reader>,
        data: &Path,
        allow_private: bool,
        limits: HookLimits,
    ) -> Hooks {
        let next = control.hub().next();
        let ledger = Ledger::open(&data.join(FILE), next).or_else(|error| {
            tracing::error!(%error, "{FILE} cannot be used: messages to webhooks are kept in memory only");
            Ledger::in_memory(next)
        });
        let ledger = Arc::new(Mutex::new(ledger.expect("there is memory for an empty table")));
        let post = Post::new(allow_private, limits.clone());
        let (reader, stir) = (Mutex::new(reader), Notify::new());
        Hooks(Arc::new(Parts { control, reader, ledger, post, limits, stir }))
    }

    /// Whether messages can be sent to an address: why not otherwise.
    pub async fn check(&self, url: &str) -> Result<(), String> {
        self.0.post.check(url).await
    }

    /// Sends a message that says nothing, at once and once.
    pub async fn test(&self, hook: &Webhook, workspace: &str) -> Outcome {
        let now = self.now();
        let body =
            json!({"event": "test", "workspace": workspace, "webhook": hook.name, "at": Time::of(now)});
        let (url, secret) = (&*hook.url, &*hook.secret);
        let message = Message { url, secret, event: "test", delivery: "test", body: &body.to_string() };
        self.0.post.send(message, now).await
    }

    /// Messages of a webhook with ids below one, the latest first.
    pub async fn list(&self, hook: &Webhook, below: i64, limit: usize) -> Result<Vec<Kept>, String> {
        let (room, name, created) = (hook.workspace, hook.name.clone(), hook.created);
        self.with_ledger(move |ledger| ledger.list(room, &name, created, below, limit)).await
    }

    /// Lets a message be sent anew; `None` if there is none.
    pub async fn again(&self, hook: &Webhook, id: i64) -> Result<Option<Kept>, String> {
        let (room, name, created, now) = (hook.workspace, hook.name.clone(), hook.created, self.now());
        let found = self.with_ledger(move |ledger| ledger.again(room, &name, created, id, now)).await;
        self.0.stir.notify_one();
        found
    }

    /// Drops all messages of a webhook that is gone.
    pub async fn forget(&self, room: WorkspaceId, name: &str, created: Tick) {
        let name = name.to_string();
        // What is left is dropped at the next start.
        let _ = self.with_ledger(move |ledger| ledger.forget(room, &name, created)).await;
    }

    fn now(&self) -> Tick {
        self.0.control.clock().now()
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.0.ledger.lock().expect("nobody panics here")
    }

    async fn with_ledger<R: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Ledger) -> rusqlite::Result<R> + Send + 'static,
    ) -> Result<R, String> {
        // The ledger alone: a task that outlives the server must not hold on to the store.
        let ledger = self.0.ledger.clone();
        let done =
            tokio::task::spawn_blocking(move || work(&mut ledger.lock().expect("nobody panics here"))).await;
        done.map_err(|error| error.to_string())?.map_err(|error| format!("{FILE}: {error}"))
    }

    /// Works until the server goes down. Messages that are on their way then are sent again after the next start.
    pub async fn run(self) {
        let hooks = self.clone();
        let _ = tokio::task::spawn_blocking(move || hooks.sweep()).await;
        let mut news = self.0.control.hub().subscribe_inside();
        let mut flights: JoinSet<(WorkspaceId, String)> = JoinSet::new();
        let mut busy: BTreeSet<(WorkspaceId, String)> = BTreeSet::new();
        while !self.0.control.hub().is_closed() {
            let hooks = self.clone();
            let due = match tokio::task::spawn_blocking(move || hooks.look()).await {
                Ok(Ok(due)) => due,
                Ok(Err(why)) => {
                    tracing::warn!(%why, "messages to webhooks do not get on");
                    Vec::new()
                }
                Err(_) => return,
            };
            for letter in due {
                let key = (letter.room, letter.hook.clone());
                if flights.len() < MAX_FLIGHTS && !busy.contains(&key) {
                    busy.insert(key);
                    flights.spawn(self.clone().carry(letter));
                }
            }
            tokio::select! {
                Some(landed) = flights.join_next(), if !flights.is_empty() => {
                    // A flight that broke does not say which it was.
                    busy.retain(|one| landed.as_ref().is_ok_and(|key| key != one));
                }
                changed = news.changed() => {
                    if changed.is_err() {
                        return;
                    }
                }
                () = self.0.stir.notified() => {}
                () = tokio::time::sleep(self.0.limits.tick) => {}
            }
        }
        flights.shutdown().await;
    }

    /// Drops messages of webhooks that are gone.
    fn sweep(&self) {
        let people = self.0.control.people();
        let mut ledger = self.ledger();
        for (room, name, created) in ledger.hooks().unwrap_or_default() {
            if people.webhook(room, &name).is_none_or(|hook| hook.created != created) {
                let _ = ledger.forget(room, &name, created);
            }
        }
    }

    /// Follows the log to its end. What is due then.
    fn look(&self) -> Result<Vec<Kept>, Stuck> {
        while self.follow()? {}
        self.look_for_late()?;
        Ok(self.ledger().due(self.now())?)
    }

    /// Follows some of the log; whether there may be more.
    fn follow(&self) -> Result<bool, Stuck> {
        let control = &self.0.control;
        // In this order: a webhook that is made meanwhile is made after the events that are skipped.
        let end = control.hub().next();
        let next = self.ledger().next();
        if next >= end {
            return Ok(false);
        }
        if !control.people().has_webhooks() {
            self.ledger().skip_to(end);
            return Ok(false);
        }
        let reader = self.0.reader.lock().expect("nobody panics here");
        let entries = match reader.entries(next, BATCH) {
            Err(StoreError::Archived { base, .. }) => {
                tracing::warn!(
                    from = next,
                    to = base,
                    "events were archived before webhooks were told of them"
                );
                self.ledger().skip_to(base);
                return Ok(true);
            }
            entries => entries?,
        };
        let Some(end) = entries.last().map(tidegate_store::StoredEntry::next) else { return Ok(false) };
        let mut events: Vec<(u64, Event)> = Vec::new();
        let mut budgets = Vec::new();
        for entry in &entries {
            match Body::decode(&entry.body) {
                Ok(body) => {
                    events.extend(notices::told(entry.first, next, &body));
                    budgets.extend(notices::spent(entry.first, next, &body));
                }
                Err(why) => tracing::warn!(event = entry.first, %why, "an entry is passed over for webhooks"),
            }
        }
        let missing = control.read_blocking(|world| notices::missing(world, &events));
        let gone = gone::find(&**reader, &control.people(), missing)?;
        let letters = control.read_blocking(|world| {
            let letters = events.iter().map(|(number, event)| notices::letters(world, *number, event, &gone));
            let spent = budgets.iter().map(|(number, at, of)| notices::of_budget(world, *number, *at, of));
            letters.chain(spent).flatten().collect::<Vec<_>>()
        });
        self.ledger().add(&letters, end, self.now())?;
        Ok(true)
    }

    /// Looks for work that has waited for longer than its workspace likes.
    fn look_for_late(&self) -> Result<(), Stuck> {
        let (control, now) = (&self.0.control, self.now());
        if !control.people().has_webhooks() {
            return Ok(());
        }
        let late: Vec<(WorkloadId, Tick)> = control.read_blocking(|world| {
            let since = |id| Some((id, world.shell.workloads.get(&id)?.waits_since));
            waited_too_long(world, now).into_iter().filter_map(since).collect()
        });
        let write = |id| control.read_blocking(|world| notices::overdue(world, id, now));
        Ok(self.ledger().add_late(&late, write, now)?)
    }

    /// Carries one message, and writes down what became of it.
    async fn carry(self, letter: Kept) -> (WorkspaceId, String) {
        let key = (letter.room, letter.hook.clone());
        let people = self.0.control.people();
        let hook = people.webhook(letter.room, &letter.hook).filter(|hook| hook.created == letter.created);
        let Some(hook) = hook else {
            self.forget(letter.room, &letter.hook, letter.created).await;
            return key;
        };
        let delivery = format!("d-{}", letter.id);
        let (url, secret) = (&*hook.url, &*hook.secret);
        let message = Message { url, secret, event: &letter.event, delivery: &delivery, body: &letter.body };
        let outcome = self.0.post.send(message, self.now()).await;
        let (limits, now) = (self.0.limits.clone(), self.now());
        let written = self.with_ledger(move |ledger| ledger.tried(&letter, &outcome, &limits, now)).await;
        if let Err(why) = written {
            tracing::warn!(%why, "it is not written down what became of a message to a webhook");
            // It would be sent again at once.
            tokio::time::sleep(self.0.limits.timeout).await;
        }
        key
    }
}
