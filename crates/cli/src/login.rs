//! `tidegate login`, `logout` and `password`: a server remembered, with what lets one in.

use crate::client::find::{Connection, Found, normal};
use crate::client::profile::Profile;
use crate::client::{Ask, Client};
use crate::exit::{Exit, Failure, Outcome, note};
use crate::hidden;
use clap::Args;
use std::io::{BufRead, IsTerminal};
use tidegate_api::login::{Acceptance, Credentials, Ended};
use tidegate_api::name::Name;
use tidegate_api::people::{NewPassword, NewToken, Token, User};
use tidegate_api::server::Whoami;
use ureq::http::Method;

pub(crate) const LOGIN_EXAMPLES: &str = "Examples:
  tidegate login https://tidegate.example --user berta
  tidegate login https://tidegate.example --invitation tgi_51f0...
  tidegate login https://tidegate.example --token-file token
  tidegate login http://127.0.0.1:7070 < ~/.local/share/tidegate/admin.token

With --user or --invitation a token is made, good for 90 days; `tidegate logout` ends it. Otherwise the token is asked
for, without being shown, or read from standard input, unless --token, TIDEGATE_TOKEN or --token-file gives one. It is
tried before it is remembered, in $XDG_CONFIG_HOME/tidegate/profile.toml, which only you can read.";

pub(crate) const LOGOUT_EXAMPLES: &str = "Examples:
  tidegate logout";

pub(crate) const PASSWORD_EXAMPLES: &str = "Examples:
  tidegate password
  printf '%s\\n' \"$OLD\" \"$NEW\" | tidegate password --password-stdin

Ends all sessions of browsers; tokens stay. Whoever has no password yet is not asked for the old one.";

/// What the token of the command line is called.
const TOKEN_NAME: &str = "command-line";

#[derive(Args, Debug)]
pub(crate) struct Login {
    /// The server's address; the one that would be asked now if absent
    url: Option<String>,
    /// Who you are; the password is asked for
    #[arg(long, value_name = "NAME", conflicts_with_all = ["token_file", "invitation"])]
    user: Option<String>,
    /// Follow an invitation: choose a password, and log in
    #[arg(long, value_name = "SECRET", conflicts_with = "token_file")]
    invitation: Option<String>,
    /// Read the password from standard input
    #[arg(long)]
    password_stdin: bool,
    /// A file that holds the token
    #[arg(long, value_name = "FILE")]
    token_file: Option<std::path::PathBuf>,
}

impl Login {
    pub(crate) fn run(self, connection: &Connection) -> Outcome {
        if self.password_stdin && self.user.is_none() && self.invitation.is_none() {
            return Err(Failure::usage("--password-stdin needs --user or --invitation"));
        }
        let server = match self.url.as_deref().or(connection.server.as_deref()) {
            Some(url) => normal(url)?,
            None => connection.find()?.server,
        };
        let ca_file =
            connection.ca_file.as_ref().map(|file| std::path::absolute(file).unwrap_or(file.clone()));
        let found = |token: &str| Found {
            server: server.clone(),
            token: token.to_string(),
            ca_file: ca_file.clone(),
            by: "login",
        };
        let token = match self.begin(&Client::new(found(""))?)? {
            Some(session) => make_token(&Client::new(found(&session))?)?,
            None => self.given(connection)?,
        };
        let who: Whoami = Client::new(found(&token))?.get("/api/v1/whoami")?;
        let file = Profile { server: server.clone(), token, ca_file }.write()?;
        note(format!("logged in to {server} as {}; remembered in {}", who.user, file.display()));
        Ok(())
    }

    /// The secret of a session, if there is a password to begin one with.
    fn begin(&self, client: &Client) -> Outcome<Option<String>> {
        let ask = if let Some(user) = &self.user {
            let password = self.password(|| hidden::ask("password: "))?;
            Ask::post("/api/v1/login", &Credentials { user: user.clone(), password })?
        } else if let Some(secret) = &self.invitation {
            // A link is as good as what is at its end.
            let secret = secret.rsplit('/').next().unwrap_or_default().to_string();
            let password = self.password(chosen)?;
            Ask::post("/api/v1/invitations:accept", &Acceptance { secret, password })?
        } else {
            return Ok(None);
        };
        let answer = client.send(&ask)?;
        let session = answer.session().ok_or_else(|| {
            Failure::new(Exit::Failure, format!("{} answered without a session", client.server()))
        })?;
        Ok(Some(session.to_string()))
    }

    fn password(&self, ask: impl FnOnce() -> Outcome<String>) -> Outcome<String> {
        if self.password_stdin || !std::io::stdin().is_terminal() { line("password") } else { ask() }
    }

    fn given(&self, connection: &Connection) -> Outcome<String> {
        let token = match (&connection.token, &self.token_file) {
            (Some(token), None) => token.clone(),
            (_, Some(file)) => std::fs::read_to_string(file).map_err(|error| {
                Failure::new(Exit::NotFound, format!("cannot read {}: {error}", file.display()))
            })?,
            (None, None) if std::io::stdin().is_terminal() => hidden::ask("token: ")?,
            (None, None) => line("token")?,
        };
        let token = token.trim().to_string();
        if token.is_empty() {
            return Err(Failure::usage("no token was given")
                .hint("the administrator's token is DIR/admin.token; --user logs in with a password"));
        }
        Ok(token)
    }
}

/// A token for the command line, made with a session, which then ends.
fn make_token(session: &Client) -> Outcome<String> {
    let new = NewToken { name: TOKEN_NAME.parse::<Name>().ok(), ..NewToken::default() };
    let made: Outcome<Token> =
        session.send(&Ask::post("/api/v1/tokens", &new)?).and_then(|answer| answer.json(session.server()));
    session.send(&Ask::change(Method::POST, "/api/v1/logout"))?;
    made?.secret.ok_or_else(|| Failure::new(Exit::Failure, "the server made a token without a secret"))
}

/// The next line of standard input.
fn line(what: &str) -> Outcome<String> {
    let mut line = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut line)
        .map_err(|error| Failure::new(Exit::Failure, format!("cannot read the {what}: {error}")))?;
    Ok(line.trim_end_matches(['\n', '\r']).to_string())
}

/// A new password, typed twice.
fn chosen() -> Outcome<String> {
    let (first, second) = (hidden::ask("new password: ")?, hidden::ask("once more: ")?);
    if first == second { Ok(first) } else { Err(Failure::usage("the two differ")) }
}

/// Forgets the server. A token that somebody else has ended, or that cannot end, is forgotten all the same.
pub(crate) fn logout() -> Outcome {
    let Some(Profile { server, token, ca_file }) = Profile::read()? else {
        note("nobody is logged in");
        return Ok(());
    };
    let client = Client::new(Found { server: server.clone(), token, ca_file, by: "the profile" })?;
    let ended = client.send(&Ask::change(Method::POST, "/api/v1/logout"));
    Profile::remove()?;
    match ended {
        Ok(_) => note(format!("logged out of {server}")),
        Err(failure) if failure.is(Exit::Stale) || failure.is(Exit::Denied) => {
            note(format!("forgot {server}: {failure}"));
        }
        Err(failure) => {
            return Err(failure.figure("the token is forgotten here, and still good there"));
        }
    }
    Ok(())
}

#[derive(Args, Debug)]
pub(crate) struct Password {
    /// Read the old password, if there is one, and the new one from standard input, a line each
    #[arg(long)]
    password_stdin: bool,
}

impl Password {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        let who: Whoami = client.get("/api/v1/whoami")?;
        let user: User = client.get(format!("/api/v1/users/{}", who.user))?;
        let typed = !self.password_stdin && std::io::stdin().is_terminal();
        let old = || if typed { hidden::ask("old password: ") } else { line("old password") };
        let old = user.status.password.then(old).transpose()?;
        let new = if typed { chosen()? } else { line("new password")? };
        let ask = Ask::change(Method::PUT, "/api/v1/password").json(&NewPassword { old, new })?;
        let ended: Ended = client.send(&ask)?.json(client.server())?;
        note(format!("the password of {} is set; {} sessions have ended", ended.user, ended.ended));
        Ok(())
    }
}
