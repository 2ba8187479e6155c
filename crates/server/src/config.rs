//! The configuration file: every option of `tidegate serve`, and those that are too rare for a flag.

use crate::login::oidc::config::OidcConfig;
use crate::net::limits::MAX_SHARED_TASKS;
use serde::Deserialize;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use tidegate_api::duration::Duration;
use tidegate_api::memory::Memory;
use tidegate_engine::ids::Span;

/// The file with all options at their defaults, and what they mean.
pub const DOCUMENTED: &str = include_str!("../config.toml");

/// Where the server listens when nobody says.
pub const DEFAULT_LISTEN: &str = "127.0.0.1:7070";

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    /// Where everything is kept.
    pub data: Option<PathBuf>,
    pub listen: SocketAddr,
    /// What addresses of the console begin with, if not as it is listened on.
    pub url: Option<AppsUrl>,
    pub apps_listen: Option<AppsListen>,
    pub apps_url: Option<AppsUrl>,
    pub insecure_listen: bool,
    pub tls_cert: Option<PathBuf>,
    pub tls_key: Option<PathBuf>,
    pub executor: ExecutorKind,
    pub virtual_gpus: Option<String>,
    pub isolation: IsolationKind,
    /// Users of workspaces, one each.
    pub first_uid: u32,
    pub uid_count: u32,
    pub allow_shared_user: bool,
    /// Whether each replica gets a control group where that can be had.
    pub cgroups: bool,
    /// What the directories of one workload may take.
    pub work_limit: Option<Memory>,
    pub retain_ended: Duration,
    pub retain_logs: Duration,
    /// How long it is kept who used what; for ever if nobody says.
    pub retain_usage: Option<Duration>,
    pub snapshot_every: u64,
    /// Tasks of one workspace that may wait on shared compute.
    pub shared_tasks: u32,
    /// Whether webhooks may lead to addresses that are not public.
    pub webhook_allow_private: bool,
    /// Certificates of authorities that vouch for receivers, beside those of the machine.
    pub webhook_ca_file: Option<PathBuf>,
    /// Where old parts of the log go.
    pub archive: Option<PathBuf>,
    /// Who else says who somebody is.
    pub oidc: Option<OidcConfig>,
    pub log: Log,
}

/// Where notebooks and services are reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum AppsListen {
    Off,
    At(SocketAddr),
}

impl TryFrom<String> for AppsListen {
    type Error = String;
    fn try_from(text: String) -> Result<AppsListen, String> {
        text.parse()
    }
}

impl std::str::FromStr for AppsListen {
    type Err = String;
    fn from_str(text: &str) -> Result<AppsListen, String> {
        if text == "off" {
            return Ok(AppsListen::Off);
        }
        text.parse().map(AppsListen::At).map_err(|_| format!("{text:?} is neither ADDRESS:PORT nor off"))
    }
}

/// What links to notebooks and services begin with, without a slash at the end.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct AppsUrl(pub String);

impl TryFrom<String> for AppsUrl {
    type Error = String;
    fn try_from(text: String) -> Result<AppsUrl, String> {
        let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        let plain = |host: &&str| !host.is_empty() && host.bytes().all(|b| b.is_ascii_graphic() && b != b'/');
        match host.map(|host| host.trim_end_matches('/')).filter(plain) {
            Some(_) => Ok(AppsUrl(text.trim_end_matches('/').into())),
            None => Err(format!("{text:?} is not an origin such as https://apps.example:8443")),
        }
    }
}

/// What makes decisions real.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExecutorKind {
    /// Real processes on this machine.
    #[default]
    Local,
    /// Starts nothing; durations are given.
    Virtual,
}

/// How workspaces are kept apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IsolationKind {
    /// By users of their own if the server may have them, else not at all.
    #[default]
    Auto,
    /// By users of their own, or the server does not start.
    Uid,
    /// Not at all: everything runs as whoever runs the server.
    None,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Log {
    pub level: Level,
    pub format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    Error,
    Warn,
    #[default]
    Info,
    Debug,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    #[default]
    Text,
    Json,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            data: None,
            listen: DEFAULT_LISTEN.parse().expect("an address"),
            url: None,
            apps_listen: None,
            apps_url: None,
            insecure_listen: false,
            tls_cert: None,
            tls_key: None,
            executor: ExecutorKind::default(),
            virtual_gpus: None,
            isolation: IsolationKind::default(),
            first_uid: 1_900_000_000,
            uid_count: 10_000,
            allow_shared_user: false,
            cgroups: true,
            work_limit: None,
            retain_ended: Duration::of(Span::hours(24)),
            retain_logs: Duration::of(Span::hours(7 * 24)),
            retain_usage: None,
            snapshot_every: 100_000,
            shared_tasks: MAX_SHARED_TASKS,
            webhook_allow_private: false,
            webhook_ca_file: None,
            archive: None,
            oidc: None,
            log: Log::default(),
        }
    }
}

/// Why a file is not a configuration.
#[derive(Debug)]
pub enum ConfigError {
    Unreadable { file: PathBuf, why: std::io::Error },
    Wrong { file: PathBuf, why: String },
}

impl std::fmt::Display for ConfigError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ConfigError::Unreadable { file, why } => {
                write!(
                    f,
                    "cannot read {}: {why}; hint: `tidegate config show` prints one to begin with",
                    file.display()
                )
            }
            ConfigError::Wrong { file, why } => write!(f, "{}: {}", file.display(), why.trim_end()),
        }
    }
}

impl std::error::Error for ConfigError {}

impl Config {
    pub fn read(file: &Path) -> Result<Config, ConfigError> {
        let text = std::fs::read_to_string(file)
            .map_err(|why| ConfigError::Unreadable { file: file.into(), why })?;
        Config::parse(&text).map_err(|why| ConfigError::Wrong { file: file.into(), why })
    }

    /// Where notebooks and services are reached, and whether somebody asked for just that.
    pub fn apps_address(&self) -> Option<(SocketAddr, bool)> {
        match (self.apps_listen, self.executor) {
            (Some(AppsListen::At(address)), _) => Some((address, true)),
            (Some(AppsListen::Off), _) | (None, ExecutorKind::Virtual) => None,
            (None, ExecutorKind::Local) => {
                let port = self.listen.port();
                let next = if port == 0 { 0 } else { port.checked_add(1).unwrap_or(0) };
                Some(((Ipv4Addr::LOCALHOST, next).into(), false))
            }
        }
    }

    pub fn parse(text: &str) -> Result<Config, String> {
        let config: Config = toml::from_str(text).map_err(|error| error.to_string())?;
        if config.snapshot_every == 0 {
            return Err("snapshot-every is 0; hint: it counts events between two snapshots".into());
        }
        let last = config.uid_count.checked_sub(1).and_then(|more| config.first_uid.checked_add(more));
        // Root is nobody's, and the last number means nobody.
        if config.first_uid == 0 || last.is_none_or(|last| last == u32::MAX) {
            return Err(format!(
                "first-uid = {} with uid-count = {} are no users; hint: both are at least 1, and the last user is below {}",
                config.first_uid,
                config.uid_count,
                u32::MAX
            ));
        }
        Ok(config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_file_says_the_defaults() {
        let documented = Config::parse(DOCUMENTED).expect("the documented file is one");
        assert_eq!(documented, Config::default());
        assert_eq!(Config::parse("").expect("nothing is fine"), Config::default());
    }

    #[test]
    fn apps_have_an_address_of_their_own() {
        let address = |text: &str| Config::parse(text).expect(text).apps_address();
        let at = |text: &str, asked| Some((text.parse().expect("an address"), asked));
        assert_eq!(address(""), at("127.0.0.1:7071", false));
        assert_eq!(address("listen = \"10.0.0.1:0\""), at("127.0.0.1:0", false));
        assert_eq!(address("apps-listen = \"off\""), None);
        assert_eq!(address("executor = \"virtual\""), None);
        let given = "executor = \"virtual\"\napps-listen = \"0.0.0.0:80\"";
        assert_eq!(address(given), at("0.0.0.0:80", true));
        let url = Config::parse("apps-url = \"https://apps.example:8443/\"").expect("an origin").apps_url;
        assert_eq!(url, Some(AppsUrl("https://apps.example:8443".into())));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, says) in [
            ("lisen = \"x\"", "unknown field `lisen`"),
            ("listen = \"here\"", "invalid socket address"),
            ("snapshot-every = 0", "snapshot-every"),
            ("retain-ended = \"soon\"", "not a duration"),
            ("[log]\nlevel = \"loud\"", "unknown variant `loud`"),
            ("executor = \"slurm\"", "unknown variant `slurm`"),
            ("isolation = \"jail\"", "unknown variant `jail`"),
            ("first-uid = 0", "are no users"),
            ("uid-count = 0", "are no users"),
            ("first-uid = 4294967295\nuid-count = 1", "are no users"),
            ("work-limit = \"much\"", "much"),
            ("apps-listen = \"here\"", "neither ADDRESS:PORT nor off"),
            ("apps-url = \"apps.example\"", "is not an origin"),
            ("apps-url = \"https://apps.example/x\"", "is not an origin"),
            ("[oidc]\nissuer = \"https://id.example\"", "missing field `client-id`"),
            ("[oidc]\nissuer = \"http://id.example\"\nclient-id = \"x\"", "neither https://"),
            (
                "[oidc]\nissuer = \"https://id.example\"\nclient-id = \"x\"\nscope = \"y\"",
                "unknown field `scope`",
            ),
        ] {
            let error = Config::parse(text).expect_err(text);
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
