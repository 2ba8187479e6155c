//! A running server: opened, told what to listen on, closed.

use crate::apps::Apps;
use crate::apps::limits::AppsLimits;
use crate::budgets;
use crate::center::clockwork;
use crate::config::{Config, ExecutorKind};
use crate::core::clock::Clock;
use crate::core::control::{Control, Unavailable};
use crate::core::entry::Origin;
use crate::core::outbox::Outbox;
use crate::core::recovery::{RecoveryError, read_world};
use crate::core::writer::{self, Habits};
use crate::dedicated;
use crate::door::{Door, reachable};
use crate::here::Here;
use crate::hooks::{HookLimits, Hooks};
use crate::http::app::{App, Links, Work};
use crate::http::router::router;
use crate::local::Host;
use crate::login::oidc::Oidc;
use crate::login::{Login, session};
use crate::machine::Machine;
use crate::meter::Meter;
use crate::net::limits::Limits;
use crate::net::listen::{Routed, closed, listen, serve};
use crate::net::outgoing;
use crate::net::tls::{self, TlsError};
use crate::output::sweep::sweep;
use crate::samples::{self, Sampler};
use crate::token::{self, ADMIN_TOKEN_FILE, TokenHash};
use crate::{executor_loop, first_run, local, private};
use std::ffi::OsString;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::Duration;
use tidegate_engine::Refusal;
use tidegate_executor::local::Gpus;
use tidegate_executor::{Executor, VirtualExecutor};
use tidegate_identity::people::ADMIN;
use tidegate_store::{Options, Reader, SqliteStore, Store, StoreError};
use tokio::net::TcpListener;
use tokio::sync::watch;

/// What is kept of the administrator's token.
const ADMIN_TOKEN: &str = "admin-token";

/// Clocks are put right by moments all the time.
const CLOCK_TOLERANCE: Duration = Duration::from_secs(5);

/// Why a server does not start.
#[derive(Debug)]
pub enum ServeError {
    Store(StoreError),
    Recovery(RecoveryError),
    Tls(TlsError),
    Listen { address: SocketAddr, why: io::Error },
    Directory { path: PathBuf, why: io::Error },
    Token { path: PathBuf, why: io::Error },
    Machine(String),
    Oidc(String),
    Webhooks(String),
    FirstRun(Box<Refusal>),
    Unavailable(Unavailable),
    Thread(io::Error),
    Executor(io::Error),
}

impl std::fmt::Display for ServeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ServeError::Store(error) => write!(f, "{error}"),
            ServeError::Recovery(error) => write!(f, "{error}"),
            ServeError::Tls(error) => write!(f, "{error}"),
            ServeError::Listen { address, why } => write!(
                f,
                "cannot listen on {address}: {why}; hint: another server may be there; choose with --listen or --apps-listen"
            ),
            ServeError::Directory { path, why } => write!(
                f,
                "cannot use the data directory {}: {why}; hint: choose another with --data",
                path.display()
            ),
            ServeError::Token { path, why } => {
                write!(f, "cannot keep the administrator's token in {}: {why}", path.display())
            }
            ServeError::Machine(why) => f.write_str(why),
            ServeError::Oidc(why) => write!(f, "[oidc] in the configuration: {why}"),
            ServeError::Webhooks(why) => write!(f, "webhook-ca-file in the configuration: {why}"),
            ServeError::FirstRun(refusal) => {
                write!(f, "the first start was refused: {}; hint: {}", refusal.what(), refusal.hint())
            }
            ServeError::Unavailable(why) => write!(f, "the store did not take the first entry: {why:?}"),
            ServeError::Thread(why) => write!(f, "cannot start a thread: {why}"),
            ServeError::Executor(why) => write!(f, "cannot start processes: {why}"),
        }
    }
}

impl std::error::Error for ServeError {}

impl From<StoreError> for ServeError {
    fn from(error: StoreError) -> ServeError {
        ServeError::Store(error)
    }
}

/// A server ended because one of its own threads did, by a panic. What was acknowledged is in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken {
    pub thread: &'static str,
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the server's thread {} panicked, and nothing works without it", self.thread)
    }
}

impl std::error::Error for Broken {}

/// What a server takes for granted. Tests take other things for granted.
#[doc(hidden)]
pub struct Ground {
    pub limits: Limits,
    pub apps: AppsLimits,
    pub hooks: HookLimits,
    /// As in [`Habits`].
    pub rest: Duration,
    /// The machine's clock, set by hand.
    pub clock: Option<Arc<AtomicU64>>,
    /// Looks after a process of the local executor.
    pub supervisor: Vec<OsString>,
    /// Stands between the writer and its store.
    pub store: Box<dyn FnOnce(SqliteStore) -> Box<dyn Store> + Send>,
}

impl Default for Ground {
    fn default() -> Ground {
        let limits = Limits::default().within_open_files();
        Ground {
            limits,
            apps: AppsLimits::default(),
            hooks: HookLimits::default(),
            rest: Habits::default().rest,
            clock: None,
            supervisor: local::supervisor().unwrap_or_default(),
            store: Box::new(|store| Box::new(store)),
        }
    }
}

impl std::fmt::Debug for Ground {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ground").field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// A server that has read its log and is ready to listen.
pub struct Server {
    pub control: Control,
    app: App,
    listener: TcpListener,
    door: Option<Door>,
    tls: Option<tokio_rustls::TlsAcceptor>,
    sampler: Sampler,
    /// How long output is kept, where there is any.
    retain_logs: Duration,
    threads: Vec<JoinHandle<()>>,
    /// Whether this was the first start.
    pub is_new: bool,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("listener", &self.listener).finish_non_exhaustive()
    }
}

impl Server {
    /// Opens the data directory and the address. The log is read, the executor is told what should run.
    pub async fn open(config: &Config, data: &Path) -> Result<Server, ServeError> {
        Server::open_on(config, data, Ground::default()).await
    }

    #[doc(hidden)]
    pub async fn open_on(config: &Config, data: &Path, ground: Ground) -> Result<Server, ServeError> {
        let tls = tls::acceptor(
            config.listen,
            config.tls_cert.as_deref(),
            config.tls_key.as_deref(),
            config.insecure_listen,
        );
        let tls = tls.map_err(ServeError::Tls)?;
        let real = matches!(config.executor, ExecutorKind::Local) && config.virtual_gpus.is_none();
        let gpus = if real { Gpus::find().map(Arc::new) } else { None };
        let machines = match &config.virtual_gpus {
            Some(text) => vec![Machine::virtual_gpus(text).map_err(ServeError::Machine)?],
            None => Machine::here(gpus.as_ref().map_or(&[], |gpus| &gpus.list)),
        };
        let listener = listen(config.listen);
        let listener = listener.map_err(|why| ServeError::Listen { address: config.listen, why })?;
        let failed = |why| ServeError::Listen { address: config.listen, why };
        let scheme = if tls.is_some() { "https" } else { "http" };
        let local = reachable(listener.local_addr().map_err(failed)?);
        let origin = config.url.as_ref().map_or_else(|| format!("{scheme}://{local}"), |url| url.0.clone());
        let oidc = config.oidc.as_ref().map(|oidc| Oidc::new(oidc, &origin)).transpose();
        let oidc = oidc.map_err(ServeError::Oidc)?;
        let mut hook_limits = ground.hooks;
        if let Some(file) = &config.webhook_ca_file {
            hook_limits.roots.extend(outgoing::certificates(file).map_err(ServeError::Webhooks)?);
        }
        let door = config.apps_address().map(|address| Door::open(config, address)).transpose()?;
        private::make(data).map_err(|why| ServeError::Directory { path: data.into(), why })?;
        let mut store = SqliteStore::open(data, Options::default())?;
        let reader = store.reader()?;
        let admin = admin_token(&mut store, &*reader, data)?;
        let read = read_world(&*reader).map_err(ServeError::Recovery)?;
        let (events, snapshot) = (read.world.next, read.snapshot);
        tracing::info!(events, snapshot, "the log was read");
        let (sender, notices) = channel();
        let archive_below = Arc::new(AtomicU64::new(0));
        let habits = Habits {
            retain: config.retain_ended.span(),
            snapshot_every: config.snapshot_every,
            archive: config.archive.clone(),
            archive_below: archive_below.clone(),
            rest: ground.rest,
        };
        if let Some(path) = &config.archive {
            private::directory(path).map_err(|why| ServeError::Directory { path: path.clone(), why })?;
        }
        let after = read.world.at;
        let clock = match ground.clock {
            None => Clock::starting_after(after),
            Some(hand) => Clock::by_hand(hand, after),
        };
        if clock.ahead() > CLOCK_TOLERANCE {
            tracing::warn!(ahead = ?clock.ahead(), "the machine's clock is behind the log: time goes on from the log");
        }
        let outbox = Outbox::new(sender.clone());
        let (control, writer) = writer::start_by(clock, read, (ground.store)(store), outbox, habits)
            .map_err(ServeError::Thread)?;
        let (first, created) = (control.clone(), machines);
        let first = tokio::task::spawn_blocking(move || first_run::first_run(&first, created)).await;
        let is_new = first
            .map_err(|_| ServeError::Unavailable(Unavailable::Closing))?
            .map_err(ServeError::Unavailable)?
            .map_err(|refusal| ServeError::FirstRun(Box::new(refusal)))?;
        let mut here = Here::default();
        let apps =
            door.as_ref().map(|door| Apps::new(control.clone(), admin, ground.apps, door.stand.clone()));
        let executor = match config.executor {
            ExecutorKind::Virtual => Box::new(VirtualExecutor::new()) as Box<dyn Executor>,
            ExecutorKind::Local => {
                // The executor tells at once who can be reached.
                let (told, place) = (control.clone(), data.to_path_buf());
                let lost = tokio::task::spawn_blocking(move || local::after_reboot(&told, &place)).await;
                let lost = lost.map_err(|_| ServeError::Unavailable(Unavailable::Closing))?;
                lost.map_err(ServeError::Executor)?.map_err(ServeError::Unavailable)?;
                let host = Host::new(config, data).map_err(ServeError::Executor)?;
                let executor = host.executor(config, ground.supervisor, control.clone(), gpus);
                let executor = executor.map_err(ServeError::Executor)?;
                here = Here::new(host, executor.replicas());
                if let Some(apps) = &apps {
                    apps.follow(&executor.endpoints());
                }
                Box::new(executor)
            }
        };
        let executor =
            executor_loop::start(executor, control.clone(), sender, notices).map_err(ServeError::Thread)?;
        let (sampler, looking) =
            samples::start(control.clone(), data, here.replicas().cloned()).map_err(ServeError::Thread)?;
        let places = match config.executor {
            ExecutorKind::Virtual => None,
            ExecutorKind::Local => Some(local::places(data).map_err(ServeError::Executor)?),
        };
        let work = Work { places, here, apps };
        let login = Login::new(origin, oidc);
        let private = config.webhook_allow_private;
        let hooks = Hooks::open(control.clone(), reader.another()?, data, private, hook_limits);
        let retain_usage = config.retain_usage.map(|retain| retain.span());
        let meter = Meter::open(control.clone(), reader.another()?, data, retain_usage, archive_below);
        let (samples, links) = (sampler.samples.clone(), Links { login, hooks, meter });
        let limits = Limits { shared_tasks: config.shared_tasks, ..ground.limits };
        let app = App::new(control.clone(), admin, reader, samples, limits, work, links);
        let threads = vec![looking, writer, executor];
        let retain_logs = Duration::from_millis(config.retain_logs.span().0);
        Ok(Server { control, app, listener, door, tls, sampler, retain_logs, threads, is_new })
    }

    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// A link with which the administrator chooses a password for the console, once.
    pub async fn console_link(&self) -> io::Result<String> {
        let secret = token::generate_with(session::INVITATION_PREFIX)?;
        let url = self.app.login.invitation(&secret);
        let origin = Origin::new("system", "user.invite");
        let written = self.control.write(origin, move |deck| session::invite(deck, ADMIN, &secret)).await;
        written.map(|_| url).map_err(|why| io::Error::other(format!("{why:?}")))
    }

    /// What addresses of notebooks and services begin with, if they are reached.
    pub fn apps_url(&self) -> Option<&str> {
        self.door.as_ref().map(|door| door.stand.base.as_str())
    }

    /// Answers until `closing` turns true, then ends in order: requests, executor, writer. If one of these threads
    /// panics, it ends at once and out of order: the next start begins with what is in the log.
    pub async fn run(self, closing: watch::Receiver<bool>) -> Result<(), Broken> {
        let vitals = self.control.vitals().clone();
        tokio::select! {
            // Looked at first: an end in order is none if somebody panicked on the way.
            biased;
            thread = vitals.broken() => {
                tracing::error!(thread, "a thread panicked that nothing works without: the server ends");
                Err(Broken { thread })
            }
            () = self.run_in_order(closing) => Ok(()),
        }
    }

    async fn run_in_order(self, closing: watch::Receiver<bool>) {
        let Server { control, app, listener, door, tls, sampler, retain_logs, threads, .. } = self;
        let told = control.clone();
        let herald = tokio::spawn(async move { told.hub().herald().await });
        let courier = tokio::spawn(app.hooks.clone().run());
        let meter = tokio::spawn(app.meter.clone().run());
        let clockwork = tokio::spawn(clockwork::look_after(control.clone(), sampler.samples.clone()));
        let dedicated = tokio::spawn(dedicated::clockwork::look_after(control.clone()));
        let budgets = tokio::spawn(budgets::look_after(control.clone(), app.meter.clone()));
        let sweeper =
            app.work.places.clone().map(|places| tokio::spawn(sweep(app.clone(), places, retain_logs)));
        let (mut ending, limits) = (closing.clone(), app.limits.clone());
        let apps = app.work.apps.clone();
        let watched = async {
            closed(&mut ending).await;
            control.hub().close();
        };
        let reached = async {
            if let Some((door, apps)) = door.zip(apps) {
                door.serve(apps, closing.clone()).await;
            }
        };
        let routes = router(app);
        let routed = |peer| Routed { router: routes.clone(), peer };
        tokio::join!(serve(listener, tls, routed, limits, None, closing.clone()), reached, watched);
        drop(routes);
        herald.abort();
        // It saw that nothing more is watched.
        let _ = courier.await;
        let _ = meter.await;
        clockwork.abort();
        dedicated.abort();
        budgets.abort();
        if let Some(sweeper) = sweeper {
            sweeper.abort();
        }
        drop(sampler);
        // The writer ends when nobody can ask any more.
        control.close();
        drop(control);
        let joined = tokio::task::spawn_blocking(move || {
            threads.into_iter().for_each(|thread| {
                let _ = thread.join();
            });
        });
        let _ = joined.await;
    }
}

/// The hash of the administrator's token. Whoever can write the data directory is the administrator: a token file
/// that was removed is made anew, and one that was replaced counts.
fn admin_token(store: &mut SqliteStore, reader: &dyn Reader, data: &Path) -> Result<TokenHash, ServeError> {
    let path = data.join(ADMIN_TOKEN_FILE);
    let token = match token::read(&path) {
        Ok(token) if !token.is_empty() => token,
        _ => {
            let token = token::generate().map_err(|why| ServeError::Token { path: path.clone(), why })?;
            token::write(&path, &token).map_err(|why| ServeError::Token { path: path.clone(), why })?;
            token
        }
    };
    let hash = TokenHash::of(&token);
    // Written only if it is news: a server starts on a full disk, too.
    if reader.meta(ADMIN_TOKEN)?.as_deref() != Some(&hash.0[..]) {
        store.set_meta(ADMIN_TOKEN, &hash.0)?;
    }
    Ok(hash)
}
