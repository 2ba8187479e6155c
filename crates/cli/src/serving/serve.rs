//! `tidegate serve`: the configuration file, then the flags, then the server.

use super::start::{Open, closing, runtime};
use crate::client::find::{TOKEN_FILE, default_data};
use crate::exit::{Exit, Failure, Outcome, note};
use clap::Args;
use std::io::IsTerminal;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use tidegate_server::config::{AppsListen, Config, ConfigError, ExecutorKind, Format, IsolationKind, Level};
use tracing_subscriber::filter::LevelFilter;

pub(crate) const EXAMPLES: &str = "Examples:
  tidegate serve                                  on this machine, data in ~/.local/share/tidegate, root's in /var/lib/tidegate
  tidegate serve --data ./data --virtual-gpus 16x8
  tidegate serve --config /etc/tidegate/config.toml
  tidegate serve --listen 0.0.0.0:7070 --tls-cert cert.pem --tls-key key.pem

The administrator's token is DIR/admin.token. SIGTERM ends the server in order.";

#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Serve {
    /// A configuration file; `tidegate config show` prints one with every option
    #[arg(long, value_name = "FILE", env = "TIDEGATE_CONFIG")]
    config: Option<PathBuf>,
    /// Where everything is kept
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// The address to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDR")]
    listen: Option<SocketAddr>,
    /// Where notebooks and services are reached: another address than the API's, or off
    #[arg(long, value_name = "ADDR")]
    apps_listen: Option<AppsListen>,
    /// What makes decisions real: local starts processes here, virtual takes durations from spec.virtual
    #[arg(long, value_parser = ["local", "virtual"])]
    executor: Option<String>,
    /// Share GPUs that are not there, on the first start
    #[arg(long, value_name = "NODESxGPUS")]
    virtual_gpus: Option<String>,
    /// How workspaces are kept apart: auto, uid (a user each, needs root) or none
    #[arg(long, value_name = "HOW", value_parser = ["auto", "uid", "none"])]
    isolation: Option<String>,
    /// Certificate of the server (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Its private key (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Listen on another than a loopback address without TLS
    #[arg(long)]
    insecure_listen: bool,
    /// error, warn, info or debug
    #[arg(long, value_name = "LEVEL", value_parser = ["error", "warn", "info", "debug"])]
    log_level: Option<String>,
    /// text or json
    #[arg(long, value_name = "FORMAT", value_parser = ["text", "json"])]
    log_format: Option<String>,
}

pub(crate) fn failure(error: &ConfigError) -> Failure {
    match error {
        ConfigError::Unreadable { file, why } => {
            let exit =
                if why.kind() == std::io::ErrorKind::NotFound { Exit::NotFound } else { Exit::Failure };
            Failure::new(exit, format!("cannot read {}: {why}", file.display()))
                .hint("`tidegate config show` prints one to begin with")
        }
        ConfigError::Wrong { .. } => Failure::usage(error).hint("`tidegate config show` prints every option"),
    }
}

impl Serve {
    /// The file, with what the flags say in its place.
    fn config(&self) -> Outcome<Config> {
        let mut config = match &self.config {
            Some(file) => Config::read(file).map_err(|error| failure(&error))?,
            None => Config::default(),
        };
        config.listen = self.listen.unwrap_or(config.listen);
        config.apps_listen = self.apps_listen.or(config.apps_listen);
        config.insecure_listen |= self.insecure_listen;
        config.data = self.data.clone().or(config.data);
        config.tls_cert = self.tls_cert.clone().or(config.tls_cert);
        config.tls_key = self.tls_key.clone().or(config.tls_key);
        config.virtual_gpus = self.virtual_gpus.clone().or(config.virtual_gpus);
        match self.executor.as_deref() {
            Some("local") => config.executor = ExecutorKind::Local,
            Some("virtual") => config.executor = ExecutorKind::Virtual,
            _ => {}
        }
        match self.isolation.as_deref() {
            Some("auto") => config.isolation = IsolationKind::Auto,
            Some("uid") => config.isolation = IsolationKind::Uid,
            Some("none") => config.isolation = IsolationKind::None,
            _ => {}
        }
        match self.log_level.as_deref() {
            Some("error") => config.log.level = Level::Error,
            Some("warn") => config.log.level = Level::Warn,
            Some("info") => config.log.level = Level::Info,
            Some("debug") => config.log.level = Level::Debug,
            _ => {}
        }
        match self.log_format.as_deref() {
            Some("text") => config.log.format = Format::Text,
            Some("json") => config.log.format = Format::Json,
            _ => {}
        }
        Ok(config)
    }

    pub(crate) fn run(self) -> Outcome {
        let config = self.config()?;
        let data = config.data.clone().map_or_else(default_data, Ok)?;
        write_logs(&config);
        let runtime = runtime()?;
        let ended = runtime.block_on(async {
            let closing = closing()?;
            let open = Open::new(&config, &data).await?;
            let apps = open.apps_url().unwrap_or("off");
            tracing::info!(address = open.url.as_str(), apps, data = %data.display(), "listening");
            if open.is_new {
                welcome(&open.url, &data, self.data.is_some());
                // Without it there is still the token.
                match open.console_link().await {
                    Ok(link) => {
                        note(format!("To choose a password for the console, once, within 7 days:\n  {link}"))
                    }
                    Err(why) => tracing::warn!(%why, "there is no link to the console"),
                }
            }
            open.run(closing).await?;
            tracing::info!("stopped");
            Ok(())
        });
        // Who waits for a thread that is gone would wait for ever.
        runtime.shutdown_background();
        ended
    }
}

/// What a person needs to know after the first start.
fn welcome(url: &str, data: &Path, is_elsewhere: bool) {
    let token = data.join(TOKEN_FILE);
    note(format!("This is the first start. The administrator's token is in {}", token.display()));
    if is_elsewhere {
        note(format!(
            "In another terminal:\n  export TIDEGATE_SERVER={url} TIDEGATE_TOKEN=$(cat {})",
            token.display()
        ));
    } else {
        note("In another terminal:");
    }
    note("  tidegate submit -- echo hi\n  tidegate list\n  tidegate quota tree");
}

/// Logs go to stderr.
fn write_logs(config: &Config) {
    let level = match config.log.level {
        Level::Error => LevelFilter::ERROR,
        Level::Warn => LevelFilter::WARN,
        Level::Info => LevelFilter::INFO,
        Level::Debug => LevelFilter::DEBUG,
    };
    let colours =
        std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    let subscriber =
        tracing_subscriber::fmt().with_max_level(level).with_writer(std::io::stderr).with_ansi(colours);
    // Another subscriber can only be there if this process serves twice.
    let _ = match config.log.format {
        Format::Text => subscriber.try_init(),
        Format::Json => subscriber.json().try_init(),
    };
}
