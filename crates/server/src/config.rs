//! The configuration file: every option of `tidegate serve`, and those that are too rare for a flag.

use serde::Deserialize;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// The file with all options at their defaults, and what they mean.
pub const DOCUMENTED: &str = include_str!("../config.toml");

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    pub data: Option<PathBuf>,
    pub listen: SocketAddr,
    pub insecure_listen: bool,
    pub tls_cert: Option<PathBuf>,
    pub tls_key: Option<PathBuf>,
    pub executor: ExecutorKind,
    pub virtual_gpus: Option<String>,
    pub retain_ended: Text<Seconds>,
    pub snapshot_every: u64,
    pub archive: Option<PathBuf>,
    pub log: Log,
}

/// What makes decisions real.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExecutorKind {
    Virtual,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Log {
    pub level: Level,
    pub format: Format,
}
