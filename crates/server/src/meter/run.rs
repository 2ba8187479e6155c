//! Follows the log.

use super::follower::{Kind, News, Places, Use};
use super::ledger::{Ledger, Place};
use super::reading::{Listed, Tally, Wanted};
use super::tasks::PastTasks;
use crate::core::control::Control;
use crate::core::entry::Body;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tidegate_engine::ids::{Span, Tick, WorkspaceId};
use tidegate_store::{Archived, Reader, StoreError, StoredEntry, open_archive};

/// Within the data directory.
const FILE: &str = "usage.db";
/// Entries of the log that are followed at once.
const BATCH: usize = 1_024;
/// The least time between two looks at the log: many entries cost little more than one.
const PAUSE: Duration = Duration::from_millis(250);
/// How often old records are looked for.
const SWEEP_EVERY: Span = Span::minutes(10);

/// Cheap to clone.
#[derive(Clone, Debug)]
pub struct Meter(Arc<Parts>);

struct Parts {
    control: Control,
    reader: Mutex<Box<dyn Reader>>,
    ledger: Mutex<Ledger>,
    /// How long records are kept; for ever if nobody says.
    retain: Option<Span>,
    /// Everything below this number was followed, and may leave the log.
    followed: Arc<AtomicU64>,
}

impl std::fmt::Debug for Parts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Meter").field("followed", &self.followed).finish_non_exhaustive()
    }
}

/// Entries of the log, each with the number of its first event, and where they end.
type Part = (Vec<(u64, Body)>, Place);

/// Why the log is not followed to its end. Nothing is told that would be wrong.
#[derive(Debug)]
pub enum Behind {
    Store(StoreError),
    Ledger(rusqlite::Error),
    /// An entry that this release cannot read.
    Entry {
        first: u64,
        why: String,
    },
    /// The beginning of the log was archived, and the archive is not where it was put.
    Archive {
        file: PathBuf,
        why: String,
    },
}

impl std::fmt::Display for Behind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Behind::Store(error) => write!(f, "{error}"),
            Behind::Ledger(error) => write!(f, "{FILE}: {error}"),
            Behind::Entry { first, why } => write!(f, "the log's entry at event {first}: {why}"),
            Behind::Archive { file, why } => write!(
                f,
                "the archive {} is needed to tell what was used: {why}; hint: put it back",
                file.display()
            ),
        }
    }
}

impl From<rusqlite::Error> for Behind {
    fn from(error: rusqlite::Error) -> Behind {
        Behind::Ledger(error)
    }
}

impl From<StoreError> for Behind {
    fn from(error: StoreError) -> Behind {
        Behind::Store(error)
    }
}

impl Meter {
    /// `followed` is what the log may be archived up to; it only ever grows.
    pub fn open(
        control: Control,
        reader: Box<dyn Reader>,
        data: &Path,
        retain: Option<Span>,
        followed: Arc<AtomicU64>,
    ) -> Meter {
        let ledger = open(&data.join(FILE));
        let meter =
            Parts { control, reader: Mutex::new(reader), ledger: Mutex::new(ledger), retain, followed };
        Meter(Arc::new(meter))
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.0.ledger.lock().expect("nobody panics here")
    }

    /// Works until the server goes down.
    pub async fn run(self) {
        let control = self.0.control.clone();
        let mut news = control.hub().subscribe_inside();
        let mut swept = Tick(0);
        let mut told = false;
        while !control.hub().is_closed() {
            let meter = self.clone();
            let due = control.clock().now().since(swept) >= SWEEP_EVERY;
            let looked = tokio::task::spawn_blocking(move || {
                meter.catch_up()?;
                if due { meter.sweep() } else { Ok(()) }
            });
            match looked.await {
                Ok(Ok(())) => told = false,
                Ok(Err(why)) if !told => {
                    tracing::error!(%why, "use is not metered at present; it will be when this is mended");
                    told = true;
                }
                Ok(Err(_)) => {}
                Err(_) => return,
            }
            if due {
                swept = control.clock().now();
            }
            tokio::select! {
                () = tokio::time::sleep(PAUSE) => {}
                () = until_closed(&mut news, control.hub()) => return,
            }
            let is_behind = control.hub().next() > self.0.followed.load(Ordering::Acquire);
            if !is_behind && news.changed().await.is_err() {
                return;
            }
        }
    }

    /// Follows the log to where it ends now. Waits for the disk.
    pub fn catch_up(&self) -> Result<(), Behind> {
        let end = self.0.reader.lock().expect("nobody panics here").head()?.next;
        // A server that goes down does not wait: the next one goes on.
        while self.ledger().place().next < end && !self.0.control.hub().is_closed() {
            self.follow()?;
        }
        Ok(())
    }

    /// Follows some of the log.
    fn follow(&self) -> Result<(), Behind> {
        let reader = self.0.reader.lock().expect("nobody panics here");
        let mut ledger = self.ledger();
        if !self.is_of_this_log(&**reader, ledger.place())? {
            tracing::warn!("{FILE} is of another log: it is made anew");
            ledger.begin_anew()?;
        }
        let next = ledger.place().next;
        let part = self.read(&**reader, next)?;
        drop(reader);
        let Some((bodies, place)) = part else { return Ok(()) };
        let mut news = News::default();
        for (first, body) in &bodies {
            ledger.state.follower.follow(*first, next, body, &mut news);
        }
        if let Err(error) = ledger.commit(&news, place) {
            ledger.undo()?;
            // Another has followed this part, as a server on its way out may: then it is there, and all is well.
            return if is_taken(&error) { Ok(()) } else { Err(error.into()) };
        }
        self.0.followed.store(place.next, Ordering::Release);
        Ok(())
    }

    /// Some of the log from the number `next` on: what has just been written is still at hand.
    fn read(&self, reader: &dyn Reader, next: u64) -> Result<Option<Part>, Behind> {
        let end = |entry: &StoredEntry| Place { next: entry.next(), hash: entry.hash };
        let recent = self.0.control.tail().take(next, BATCH);
        if let Some((first, _)) = recent.last() {
            let end = reader.entries(*first, 1)?.first().map(end);
            return Ok(end.map(|end| (recent, end)));
        }
        let entries = match reader.entries(next, BATCH) {
            Err(StoreError::Archived { .. }) => archived(&reader.archives()?, next)?,
            entries => entries?,
        };
        let decode = |entry: &StoredEntry| match Body::decode(&entry.body) {
            Ok(body) => Ok((entry.first, body)),
            Err(why) => Err(Behind::Entry { first: entry.first, why: why.to_string() }),
        };
        let bodies = entries.iter().map(decode).collect::<Result<_, _>>()?;
        Ok(entries.last().map(|last| (bodies, end(last))))
    }

    /// Whether what was followed is still there: a log that was restored from a backup may have gone another way.
    fn is_of_this_log(&self, reader: &dyn Reader, place: Place) -> Result<bool, StoreError> {
        // What was followed by this process cannot change under it.
        if place.next == 0 || self.0.followed.load(Ordering::Acquire) == place.next {
            return Ok(true);
        }
        let head = reader.head()?;
        match place.next {
            next if next > head.next => Ok(false),
            next if next <= head.base => Ok(true),
            next => Ok(reader
                .entries(next - 1, 1)?
                .first()
                .is_some_and(|entry| entry.next() == next && entry.hash == place.hash)),
        }
    }

    fn sweep(&self) -> Result<(), Behind> {
        let Some(retain) = self.0.retain else { return Ok(()) };
        let now = self.0.control.clock().now();
        while self.ledger().sweep(now, retain)? {}
        Ok(())
    }

    /// What was used in a period, up to now. Waits for the disk.
    pub fn tally(&self, wanted: &Wanted<'_>) -> Result<Tally, Behind> {
        self.catch_up()?;
        Ok(self.ledger().tally(wanted, self.0.control.clock().now())?)
    }

    /// Records of a period, from a place in the list on. Waits for the disk.
    pub fn list(&self, wanted: &Wanted<'_>, from: u64, limit: usize) -> Result<Listed, Behind> {
        self.catch_up()?;
        Ok(self.ledger().list(wanted, from, limit, self.0.control.clock().now())?)
    }

    /// Tasks of a workspace that were submitted in a period and have ended. Waits for the disk.
    pub fn past_tasks(
        &self,
        room: WorkspaceId,
        period: (Tick, Tick),
        most: usize,
    ) -> Result<PastTasks, Behind> {
        self.catch_up()?;
        Ok(self.ledger().past_tasks(room, period, most, self.0.control.clock().now())?)
    }

    /// Names of quotas, and which of them there were.
    pub fn places(&self) -> Places {
        self.ledger().state.follower.places().clone()
    }

    /// What was ever metered of each kind, with what goes on, as far as the log was followed.
    pub fn totals(&self) -> Vec<(Kind, i128)> {
        let (ledger, now) = (self.ledger(), self.0.control.clock().now());
        let ended = ledger.totals().map(|(kind, total)| (kind.clone(), total));
        let open = ledger.state.follower.open(now);
        let open = open.map(|one| {
            let held = i128::from(one.amount) * i128::from(one.to.since(one.from).0);
            (one.kind, held)
        });
        ended.chain(open).collect()
    }
}

/// Whether somebody else has written what was to be written.
fn is_taken(error: &rusqlite::Error) -> bool {
    matches!(error, rusqlite::Error::StatementChangedRows(0))
        || error.sqlite_error_code() == Some(rusqlite::ErrorCode::ConstraintViolation)
}

/// Waits until nothing more is watched.
async fn until_closed(news: &mut tokio::sync::watch::Receiver<u64>, hub: &crate::core::hub::Hub) {
    while !hub.is_closed() {
        if news.changed().await.is_err() {
            return;
        }
    }
}

/// The records that a data directory keeps, and up to which event the log was followed for them: for those who check
/// them.
pub fn kept(data: &Path) -> Result<(Vec<Use>, u64), Behind> {
    let ledger = Ledger::open(&data.join(FILE))?;
    let all = Wanted { borders: &[Tick(0), Tick(i64::MAX as u64)], pick: &|_| true, workload: None };
    let listed = ledger.list(&all, 0, usize::MAX, Tick(0))?;
    let ended = listed.items.into_iter().filter(|(id, _)| id.is_some()).map(|(_, one)| one);
    Ok((ended.collect(), ledger.place().next))
}

/// The file, or one that is made anew: all of it follows from the log.
fn open(path: &Path) -> Ledger {
    let again = || {
        for suffix in ["", "-wal", "-shm"] {
            let mut name = path.as_os_str().to_owned();
            name.push(suffix);
            let _ = std::fs::remove_file(PathBuf::from(name));
        }
        Ledger::open(path)
    };
    let opened = Ledger::open(path).or_else(|error| {
        tracing::warn!(%error, "{FILE} cannot be read: it is made anew from the log");
        again()
    });
    let opened = opened.or_else(|error| {
        tracing::error!(%error, "{FILE} cannot be used: use is metered in memory only");
        Ledger::in_memory()
    });
    opened.expect("there is memory for empty tables")
}

/// Entries that have left the log.
fn archived(archives: &[Archived], next: u64) -> Result<Vec<StoredEntry>, Behind> {
    let holds = |archive: &&Archived| archive.first <= next && next < archive.next;
    let Some(archive) = archives.iter().find(holds) else {
        let why = format!("no archive is known that holds event {next}");
        return Err(Behind::Archive { file: PathBuf::new(), why });
    };
    let missing = |why: StoreError| Behind::Archive { file: archive.file.clone(), why: why.to_string() };
    open_archive(&archive.file).and_then(|reader| reader.entries(next, BATCH)).map_err(missing)
}
