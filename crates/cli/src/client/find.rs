//! Which server: by flag, then by environment, then by profile, then the one of the local data directory.

use super::profile::Profile;
use crate::exit::{Exit, Failure, Outcome};
use clap::Args;
use std::path::{Path, PathBuf};

/// The file of the data directory that says where its server listens.
pub(crate) const ADDRESS_FILE: &str = "server.address";
/// The administrator's token within the data directory.
pub(crate) const TOKEN_FILE: &str = "admin.token";

/// Where root's server keeps everything when nobody says.
const ROOTS_DATA: &str = "/var/lib/tidegate";

/// Which server, and as whom.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Connection {
    /// The server's address; then the profile, then the server of the local data directory
    #[arg(long, global = true, value_name = "URL", env = "TIDEGATE_SERVER", help_heading = "Connection")]
    pub(crate) server: Option<String>,
    /// The token to act with
    #[arg(
        long,
        global = true,
        value_name = "TOKEN",
        env = "TIDEGATE_TOKEN",
        hide_env_values = true,
        help_heading = "Connection"
    )]
    pub(crate) token: Option<String>,
    /// Certificates (PEM) to trust instead of the public ones
    #[arg(long, global = true, value_name = "FILE", env = "TIDEGATE_CA_FILE", help_heading = "Connection")]
    pub(crate) ca_file: Option<PathBuf>,
}

/// A server that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// With its scheme, without a slash at the end.
    pub(crate) server: String,
    pub(crate) token: String,
    pub(crate) ca_file: Option<PathBuf>,
    /// Where it was found, for people.
    pub(crate) by: &'static str,
}

/// Where a server keeps everything when nobody says.
pub(crate) fn default_data() -> Outcome<PathBuf> {
    if let Some(dir) = std::env::var_os("TIDEGATE_DATA").filter(|dir| !dir.is_empty()) {
        return Ok(dir.into());
    }
    if is_roots_own() {
        return Ok(ROOTS_DATA.into());
    }
    base("XDG_DATA_HOME", ".local/share").map(|dir| dir.join("tidegate"))
}

/// Whether this is root at home: nobody else can pass there, and the users that work runs as have to.
fn is_roots_own() -> bool {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let passwd = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let home = passwd.lines().find_map(|line| {
        let mut fields = line.split(':').skip(2);
        (fields.next()? == "0").then(|| fields.nth(2)).flatten()
    });
    let is_root = rustix::process::geteuid().is_root();
    is_root
        && set("XDG_DATA_HOME").is_none()
        && set("HOME").is_none_or(|own| home.is_some_and(|home| own == home))
}

/// `$VARIABLE`, or a folder below the home directory.
pub(super) fn base(variable: &str, below_home: &str) -> Outcome<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set(variable).or_else(|| set("HOME").map(|home| home.join(below_home))).ok_or_else(|| {
        Failure::new(Exit::Failure, format!("neither {variable} nor HOME is set"))
            .hint("name the data directory with --data or TIDEGATE_DATA")
    })
}

impl Connection {
    pub(crate) fn find(&self) -> Outcome<Found> {
        let profile = Profile::read()?;
        // Who names both asks for nothing of the local one.
        let is_named = self.server.is_some() && self.token.is_some();
        let local = || default_data().ok().and_then(|dir| Local::of(&dir));
        self.choose(profile, if is_named { None } else { local() })
    }

    /// A token is only ever sent to the server that it was given with.
    fn choose(&self, profile: Option<Profile>, local: Option<Local>) -> Outcome<Found> {
        let given = self.server.as_deref().map(normal).transpose()?;
        let (server, by) = match (&given, &profile, &local) {
            (Some(server), ..) => (server.clone(), "--server or TIDEGATE_SERVER"),
            (None, Some(profile), _) => (normal(&profile.server)?, "the profile"),
            (None, None, Some(local)) => (local.server.clone(), "the local data directory"),
            (None, None, None) => {
                return Err(Failure::new(Exit::Unreachable, "no server is known").hint(
                    "`tidegate serve` starts one here, `tidegate login URL` remembers one, --server names one",
                ));
            }
        };
        let of_profile = profile.filter(|profile| normal(&profile.server).is_ok_and(|s| s == server));
        let ca_file = self.ca_file.clone().or_else(|| of_profile.as_ref().and_then(|p| p.ca_file.clone()));
        let of_local = local.filter(|local| local.server == server).map(|local| local.token);
        let token = self.token.clone().or(of_profile.map(|profile| profile.token)).or(of_local);
        let token = token.ok_or_else(|| {
            Failure::new(Exit::Denied, format!("no token is known for {server}"))
                .hint("give one with --token or TIDEGATE_TOKEN, or remember one with `tidegate login`")
        })?;
        Ok(Found { server, token: token.trim().into(), ca_file, by })
    }
}

/// The server of a data directory on this machine.
#[derive(Clone, Debug)]
pub(crate) struct Local {
    pub(crate) server: String,
    pub(crate) token: String,
}

impl Local {
    pub(crate) fn of(data: &Path) -> Option<Local> {
        let read = |file: &str| std::fs::read_to_string(data.join(file)).ok();
        let server = normal(read(ADDRESS_FILE)?.trim()).ok()?;
        Some(Local { server, token: read(TOKEN_FILE)?.trim().into() })
    }
}

/// With a scheme, without a slash at the end.
pub(crate) fn normal(server: &str) -> Outcome<String> {
    let text = server.trim();
    let (scheme, host) = text.split_once("://").unwrap_or(("http", text));
    let host = host.trim_end_matches('/');
    let is_host = !host.is_empty() && !host.contains(char::is_whitespace);
    match scheme {
        "http" | "https" if is_host => Ok(format!("{scheme}://{host}")),
        _ => Err(Failure::usage(format!("{server:?} is not the address of a server"))
            .hint("write it as http://127.0.0.1:7070 or https://HOST")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(server: &str) -> Option<Profile> {
        Some(Profile { server: server.into(), token: "of-profile".into(), ca_file: None })
    }

    fn local() -> Option<Local> {
        Some(Local { server: "http://127.0.0.1:1".into(), token: "of-local".into() })
    }

    fn found(c: &Connection, p: Option<Profile>, l: Option<Local>) -> Result<(String, String), u8> {
        c.choose(p, l).map(|found| (found.server, found.token)).map_err(|failure| failure.code)
    }

    #[test]
    fn a_flag_comes_before_the_profile_and_the_profile_before_the_local_server() {
        let none = Connection::default();
        let pair = |server: &str, token: &str| Ok((server.to_string(), token.to_string()));
        assert_eq!(found(&none, profile("h:2/"), local()), pair("http://h:2", "of-profile"));
        assert_eq!(found(&none, None, local()), pair("http://127.0.0.1:1", "of-local"));
        assert_eq!(found(&none, None, None), Err(7));
        let flag =
            Connection { server: Some("https://x".into()), token: Some("t".into()), ..Connection::default() };
        assert_eq!(found(&flag, profile("h:2"), local()), pair("https://x", "t"));
    }

    #[test]
    fn a_token_is_not_sent_to_another_server() {
        let flag = Connection { server: Some("https://x".into()), ..Connection::default() };
        assert_eq!(found(&flag, profile("h:2"), local()), Err(5));
        let flag = Connection { server: Some("127.0.0.1:1".into()), ..Connection::default() };
        assert_eq!(
            found(&flag, profile("h:2"), local()),
            Ok(("http://127.0.0.1:1".into(), "of-local".into()))
        );
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for text in ["", "ftp://x", "http://", "a b"] {
            assert_eq!(normal(text).map_err(|failure| failure.code), Err(2), "{text:?}");
        }
    }
}
