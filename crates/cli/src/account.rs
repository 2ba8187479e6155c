//! Who is asking, and where: `tidegate login` and `tidegate whoami`.

use crate::client::Client;
use crate::client::find::{Connection, Found, normal};
use crate::client::profile::Profile;
use crate::exit::{Exit, Failure, Outcome, note, print};
use crate::hidden;
use crate::output::facts::Facts;
use crate::output::{Format, Output, document};
use clap::Args;
use std::io::{BufRead, IsTerminal};
use tidegate_api::people::Membership;
use tidegate_api::server::{Version, Whoami};

pub(crate) const LOGIN_EXAMPLES: &str = "Examples:
  tidegate login https://tidegate.example --token-file token
  tidegate login http://127.0.0.1:7070 < ~/.local/share/tidegate/admin.token

The token is asked for, without being shown, or read from standard input, unless --token, TIDEGATE_TOKEN or
--token-file gives one. It is tried before it is remembered, in $XDG_CONFIG_HOME/tidegate/profile.toml, which only you can read.";

pub(crate) const WHOAMI_EXAMPLES: &str = "Examples:
  tidegate whoami
  tidegate whoami -o json";

#[derive(Args, Debug)]
pub(crate) struct Login {
    /// The server's address; the one that would be asked now if absent
    url: Option<String>,
    /// A file that holds the token
    #[arg(long, value_name = "FILE")]
    token_file: Option<std::path::PathBuf>,
}

impl Login {
    pub(crate) fn run(self, connection: &Connection) -> Outcome {
        let server = match self.url.as_deref().or(connection.server.as_deref()) {
            Some(url) => normal(url)?,
            None => connection.find()?.server,
        };
        let token = match (&connection.token, &self.token_file) {
            (Some(token), None) => token.clone(),
            (_, Some(file)) => std::fs::read_to_string(file).map_err(|error| {
                Failure::new(Exit::NotFound, format!("cannot read {}: {error}", file.display()))
            })?,
            (None, None) => read_token()?,
        };
        let token = token.trim().to_string();
        if token.is_empty() {
            return Err(
                Failure::usage("no token was given").hint("the administrator's token is DIR/admin.token")
            );
        }
        let ca_file =
            connection.ca_file.as_ref().map(|file| std::path::absolute(file).unwrap_or(file.clone()));
        let found =
            Found { server: server.clone(), token: token.clone(), ca_file: ca_file.clone(), by: "login" };
        let who: Whoami = Client::new(found)?.get("/api/v1/whoami")?;
        let file = Profile { server: server.clone(), token, ca_file }.write()?;
        note(format!("logged in to {server} as {}; remembered in {}", who.user, file.display()));
        Ok(())
    }
}

/// From a terminal without showing it, otherwise the first line.
fn read_token() -> Outcome<String> {
    if std::io::stdin().is_terminal() {
        return hidden::ask("token: ");
    }
    let mut line = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut line)
        .map_err(|error| Failure::new(Exit::Failure, format!("cannot read the token: {error}")))?;
    Ok(line)
}

/// `default (owner)`, for each workspace.
pub(crate) fn rooms(memberships: &[Membership]) -> Vec<String> {
    memberships.iter().map(|member| format!("{} ({})", member.workspace, member.role)).collect()
}

pub(crate) fn whoami(client: &Client, output: Output) -> Outcome {
    let who: Whoami = client.get("/api/v1/whoami")?;
    match output.output {
        format @ (Format::Json | Format::Yaml) => document(format, &who),
        Format::Name => print(&format!("{}\n", who.user)),
        Format::Table | Format::Wide => {
            let version: Version = client.get("/version")?;
            let mut facts = Facts::default();
            facts
                .add("user", &who.user)
                .add("administrator", if who.administrator { "yes" } else { "no" })
                .lines("workspaces", rooms(&who.workspaces))
                .maybe("expires", who.expires_at)
                .add("server", format!("{} (version {})", client.server(), version.version))
                .add("found by", client.found().by);
            print(&facts.text())
        }
    }
}
