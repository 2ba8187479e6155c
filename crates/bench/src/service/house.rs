//! A server in this process, with a data directory and threads of its own.

use crate::clock::cpu_by_thread;
use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tidegate_server::config::{Config, ExecutorKind};
use tidegate_server::core::control::Control;
use tidegate_server::serve::{Broken, Server};
use tidegate_server::token::{self, ADMIN_TOKEN_FILE};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Names a directory on the disk that is to be measured.
const DATA: &str = "TIDEGATE_BENCH_DATA";
/// The thread that plays all clients.
const CLIENT: &str = "client";

/// A directory for data, removed when dropped: where `TIDEGATE_BENCH_DATA` says, or beside this program, because
/// a directory for temporary files may well lie in memory.
pub fn directory() -> io::Result<TempDir> {
    let beside = || std::env::current_exe().map(|program| program.with_file_name(""));
    let parent = std::env::var_os(DATA).map_or_else(beside, |path| Ok(PathBuf::from(path)))?;
    tempfile::Builder::new().prefix("tidegate-bench-").tempdir_in(parent)
}

pub struct House {
    runtime: Runtime,
    running: Option<Running>,
    pub address: SocketAddr,
    pub token: String,
    pub control: Control,
}

impl std::fmt::Debug for House {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("House").field("address", &self.address).finish_non_exhaustive()
    }
}

struct Running {
    closing: watch::Sender<bool>,
    task: JoinHandle<Result<(), Broken>>,
}

impl House {
    /// Opens a server over `data`; returns when it answers.
    pub fn open(data: &Path, virtual_gpus: &str) -> io::Result<House> {
        House::open_with(data, virtual_gpus, |_| ())
    }

    /// As `open`, with another configuration.
    pub fn open_with(data: &Path, virtual_gpus: &str, change: fn(&mut Config)) -> io::Result<House> {
        let mut config = Config {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            executor: ExecutorKind::Virtual,
            virtual_gpus: Some(virtual_gpus.into()),
            ..Config::default()
        };
        change(&mut config);
        let runtime = Builder::new_multi_thread().thread_name("server").enable_all().build()?;
        let server = runtime.block_on(Server::open(&config, data));
        let server = server.map_err(|error| io::Error::other(error.to_string()))?;
        let address = server.address()?;
        let control = server.control.clone();
        let (closing, closed) = watch::channel(false);
        let task = runtime.spawn(server.run(closed));
        let token = token::read(&data.join(ADMIN_TOKEN_FILE))?;
        Ok(House { runtime, running: Some(Running { closing, task }), address, token, control })
    }
}

impl Drop for House {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            running.closing.send_replace(true);
            // A server that panicked has said so; the figures are printed all the same.
            let _ = self.runtime.block_on(running.task);
        }
    }
}

/// One thread for all clients.
pub fn clients() -> io::Result<Runtime> {
    Builder::new_multi_thread().worker_threads(1).thread_name(CLIENT).enable_all().build()
}

/// CPU time by thread, from one point on.
#[derive(Clone, Debug)]
pub struct Cpu(BTreeMap<String, f64>);

impl Cpu {
    pub fn now() -> Cpu {
        Cpu(cpu_by_thread())
    }

    /// What has been used since: the client's part of it, and microseconds of the others for each of `count`.
    pub fn since(&self, count: u64) -> String {
        let mut used = cpu_by_thread();
        used.iter_mut().for_each(|(name, seconds)| *seconds -= self.0.get(name).copied().unwrap_or(0.0));
        used.retain(|_, seconds| *seconds > 0.001);
        let all: f64 = used.values().sum();
        let client = used.get(CLIENT).copied().unwrap_or(0.0);
        let each: Vec<String> = used
            .iter()
            .map(|(name, seconds)| format!("{name} {:.1}", seconds * 1e6 / count as f64))
            .collect();
        format!("client {:.0} % of the CPU; us each: {}", 100.0 * client / all, each.join(", "))
    }
}
