//! What `tidegate login` remembers: a server and the token to act with.

use super::find::base;
use crate::exit::{Exit, Failure, Outcome};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::PathBuf;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Profile {
    pub(crate) server: String,
    pub(crate) token: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ca_file: Option<PathBuf>,
}

/// Where the profile lies.
pub(crate) fn path() -> Outcome<PathBuf> {
    base("XDG_CONFIG_HOME", ".config").map(|dir| dir.join("tidegate").join("profile.toml"))
}

impl Profile {
    /// `None` if nobody has logged in.
    pub(crate) fn read() -> Outcome<Option<Profile>> {
        let Ok(file) = path() else { return Ok(None) };
        let text = match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                let what = format!("cannot read the profile {}: {error}", file.display());
                return Err(Failure::new(Exit::Failure, what).hint("mend it, or log in again"));
            }
        };
        toml::from_str(&text).map(Some).map_err(|error| {
            let what = format!("the profile {} is not one: {error}", file.display());
            Failure::new(Exit::Failure, what).hint("remove it, and log in again with `tidegate login URL`")
        })
    }

    /// Forgets it.
    pub(crate) fn remove() -> Outcome<()> {
        let file = path()?;
        match fs::remove_file(&file) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(Failure::new(
                Exit::Failure,
                format!("cannot remove the profile {}: {error}", file.display()),
            )),
            _ => Ok(()),
        }
    }

    /// Writes it where its owner alone can read it; it is there whole or not at all.
    pub(crate) fn write(&self) -> Outcome<PathBuf> {
        let file = path()?;
        let failed = |error: std::io::Error| {
            Failure::new(Exit::Failure, format!("cannot write the profile {}: {error}", file.display()))
        };
        let text = toml::to_string(self)
            .map_err(|error| Failure::new(Exit::Failure, format!("cannot write the profile: {error}")))?;
        if let Some(dir) = file.parent() {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(failed)?;
        }
        let unfinished = file.with_extension("toml.new");
        let _ = fs::remove_file(&unfinished);
        let mut out = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&unfinished)
            .map_err(failed)?;
        out.write_all(text.as_bytes()).and_then(|()| out.sync_all()).map_err(failed)?;
        fs::rename(&unfinished, &file).map_err(failed)?;
        Ok(file)
    }
}
