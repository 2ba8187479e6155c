//! Opening a server, telling others where it is, closing it in order.

use crate::client::find::ADDRESS_FILE;
use crate::exit::{Exit, Failure, Outcome};
use std::path::{Path, PathBuf};
use tidegate_server::config::Config;
use tidegate_server::door::reachable;
use tidegate_server::serve::{ServeError, Server};
use tokio::sync::watch;

/// The threads that serve.
pub(crate) fn runtime() -> Outcome<tokio::runtime::Runtime> {
    let built = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    built.map_err(|error| Failure::new(Exit::Failure, format!("cannot start threads: {error}")))
}

/// A server that listens, and whose address can be found in its data directory.
#[derive(Debug)]
pub(crate) struct Open {
    server: Server,
    pub(crate) url: String,
    pub(crate) is_new: bool,
    address_file: PathBuf,
}

impl Open {
    pub(crate) async fn new(config: &Config, data: &Path) -> Outcome<Open> {
        let server = Server::open(config, data).await.map_err(|error| failure(&error))?;
        let address = server
            .address()
            .map_err(|error| Failure::new(Exit::Failure, format!("the address is not known: {error}")))?;
        let scheme = if config.tls_cert.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://{}", reachable(address));
        let address_file = data.join(ADDRESS_FILE);
        std::fs::write(&address_file, format!("{url}\n")).map_err(|error| {
            Failure::new(Exit::Failure, format!("cannot write {}: {error}", address_file.display()))
        })?;
        let is_new = server.is_new;
        Ok(Open { server, url, is_new, address_file })
    }

    /// What addresses of notebooks and services begin with.
    pub(crate) fn apps_url(&self) -> Option<&str> {
        self.server.apps_url()
    }

    /// A link with which the administrator chooses a password, once.
    pub(crate) async fn console_link(&self) -> std::io::Result<String> {
        self.server.console_link().await
    }

    /// Serves until `closing` turns true, or until the server breaks.
    pub(crate) async fn run(self, closing: watch::Receiver<bool>) -> Outcome {
        let ended = self.server.run(closing).await;
        // Nobody is there any more to be found.
        let _ = std::fs::remove_file(&self.address_file);
        ended.map_err(|broken| {
            Failure::new(Exit::Failure, broken)
                .figure("what was acknowledged is in the log, and a new start goes on from there")
                .hint("start it again, and report what the panic above says; it is a defect")
        })
    }
}

fn failure(error: &ServeError) -> Failure {
    let exit = match error {
        ServeError::Store(error) => return crate::local::store::failure(error),
        ServeError::Tls(_) | ServeError::Machine(_) | ServeError::Oidc(_) => Exit::Usage,
        ServeError::Listen { .. } => Exit::Stale,
        _ => Exit::Failure,
    };
    let text = error.to_string();
    match text.split_once("; hint: ") {
        Some((what, hint)) => Failure::new(exit, what).hint(hint),
        None => Failure::new(exit, text),
    }
}

/// Turns true at the first request to end: SIGTERM, or an interrupt from the keyboard.
pub(crate) fn closing() -> Outcome<watch::Receiver<bool>> {
    use tokio::signal::unix::{SignalKind, signal};
    let failed =
        |error: std::io::Error| Failure::new(Exit::Failure, format!("cannot listen for signals: {error}"));
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    let (sender, receiver) = watch::channel(false);
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        let _ = sender.send(true);
    });
    Ok(receiver)
}
