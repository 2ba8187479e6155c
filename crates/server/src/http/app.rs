//! What every route has at hand.

use super::problem::Refused;
use crate::apps::Apps;
use crate::core::control::Control;
use crate::here::Here;
use crate::hooks::Hooks;
use crate::login::Login;
use crate::meter::Meter;
use crate::net::limits::Limits;
use crate::samples::Samples;
use crate::token::TokenHash;
use std::sync::{Arc, Mutex};
use tidegate_api::limits::MAX_SIMULATIONS;
use tidegate_api::problem::{Code, Problem};
use tidegate_api::workload::Workload;
use tidegate_executor::local::Places;
use tidegate_store::{Reader, StoreError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Cheap to clone: one for every request.
#[derive(Clone, Debug)]
pub struct App(Arc<Parts>);

#[derive(Debug)]
pub struct Parts {
    pub control: Control,
    pub admin: TokenHash,
    pub samples: Arc<Samples>,
    /// Turns for simulations.
    pub simulations: Arc<Semaphore>,
    pub limits: Limits,
    /// For watchers: each holds one.
    pub seats: Arc<Semaphore>,
    pub work: Work,
    pub login: Login,
    pub hooks: Hooks,
    pub meter: Meter,
    readers: Readers,
}

/// What there is only where work is started: nothing of it if that is only played.
#[derive(Debug, Default)]
pub struct Work {
    /// Where the processes of this machine keep what is theirs.
    pub places: Option<Places>,
    /// What this machine adds to what is shown.
    pub here: Here,
    /// Passes requests on to notebooks and services.
    pub apps: Option<Apps>,
}

/// The ways to people: in, and out, and what they have used.
#[derive(Debug)]
pub struct Links {
    pub login: Login,
    pub hooks: Hooks,
    pub meter: Meter,
}

impl std::ops::Deref for App {
    type Target = Parts;
    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl App {
    pub fn new(
        control: Control,
        admin: TokenHash,
        reader: Box<dyn Reader>,
        samples: Arc<Samples>,
        limits: Limits,
        work: Work,
        Links { login, hooks, meter }: Links,
    ) -> App {
        let readers = Readers { first: Mutex::new(reader), idle: Mutex::default() };
        let simulations = Arc::new(Semaphore::new(MAX_SIMULATIONS));
        let seats = Arc::new(Semaphore::new(limits.watchers));
        App(Arc::new(Parts {
            control,
            admin,
            samples,
            simulations,
            limits,
            seats,
            work,
            login,
            hooks,
            meter,
            readers,
        }))
    }

    /// A place for somebody who stays: each holds one as long as it watches.
    pub fn seat(&self) -> Result<OwnedSemaphorePermit, Refused> {
        self.seats.clone().try_acquire_owned().map_err(|_| {
            let detail = format!("{} watch already, no more can", self.limits.watchers);
            Refused(Problem::new(Code::TooManyWatchers, detail))
        })
    }

    /// Adds what is known beside the world.
    pub fn shown(&self, workload: Workload) -> Workload {
        let mut workload = self.work.here.workload(workload);
        if let Some(apps) = &self.work.apps {
            apps.show(&mut workload);
        }
        workload
    }

    /// Reads from the store, on a thread that may wait for the disk.
    pub async fn with_reader<R: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn Reader) -> Result<R, StoreError> + Send + 'static,
    ) -> Result<R, StoreError> {
        let app = self.clone();
        let read = tokio::task::spawn_blocking(move || {
            let reader = app.readers.take()?;
            let result = work(&*reader);
            app.readers.put_back(reader);
            result
        });
        read.await.expect("reading does not panic, and is not cancelled")
    }
}

/// Readers that are kept for the next request.
struct Readers {
    /// Where more come from.
    first: Mutex<Box<dyn Reader>>,
    idle: Mutex<Vec<Box<dyn Reader>>>,
}

impl std::fmt::Debug for Readers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Readers").finish_non_exhaustive()
    }
}

/// Readers kept open while nobody reads.
const MAX_IDLE: usize = 8;

impl Readers {
    fn take(&self) -> Result<Box<dyn Reader>, StoreError> {
        if let Some(reader) = self.idle.lock().expect("nobody panics here").pop() {
            return Ok(reader);
        }
        self.first.lock().expect("nobody panics here").another()
    }

    fn put_back(&self, reader: Box<dyn Reader>) {
        let mut idle = self.idle.lock().expect("nobody panics here");
        if idle.len() < MAX_IDLE {
            idle.push(reader);
        }
    }
}
