//! Tokens: 256 random bits for whoever may act, their hash for the server.

use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Where the administrator's token lies within the data directory.
pub const ADMIN_TOKEN_FILE: &str = "admin.token";
/// What tokens begin with, so that people and scanners know one when they see it.
pub const PREFIX: &str = "tgt_";

/// What the server keeps of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TokenHash(pub [u8; 32]);

impl TokenHash {
    pub fn of(token: &str) -> TokenHash {
        TokenHash(Sha256::digest(token.as_bytes()).into())
    }

    pub fn from_bytes(bytes: &[u8]) -> Option<TokenHash> {
        bytes.try_into().ok().map(TokenHash)
    }
}

/// A new token.
pub fn generate() -> io::Result<String> {
    generate_with(PREFIX)
}

/// A secret that begins so.
pub fn generate_with(prefix: &str) -> io::Result<String> {
    secret().map(|secret| format!("{prefix}{secret}"))
}

/// 256 random bits, as digits.
pub fn secret() -> io::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    let mut secret = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(secret, "{byte:02x}");
    }
    Ok(secret)
}

/// Writes a token where its owner alone can read it; it is there whole or not at all.
pub fn write(file: &Path, token: &str) -> io::Result<()> {
    let unfinished = file.with_extension("token.new");
    // A file left by a start that was killed may have any mode.
    let _ = fs::remove_file(&unfinished);
    let mut out = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&unfinished)?;
    writeln!(out, "{token}")?;
    out.sync_all()?;
    fs::rename(&unfinished, file)
}

/// The token in a file, without its newline.
pub fn read(file: &Path) -> io::Result<String> {
    fs::read_to_string(file).map(|text| text.trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn tokens_are_long_and_differ() {
        let (a, b) = (generate().expect("random"), generate().expect("random"));
        assert_ne!(a, b);
        assert_eq!(a.len(), PREFIX.len() + 64);
        assert_ne!(TokenHash::of(&a), TokenHash::of(&b));
        assert_eq!(TokenHash::from_bytes(&TokenHash::of(&a).0), Some(TokenHash::of(&a)));
    }

    #[test]
    fn nobody_else_can_read_the_file() {
        let dir = tempfile::tempdir().expect("a directory");
        let file = dir.path().join(ADMIN_TOKEN_FILE);
        write(&file, "tgt_1").expect("written");
        write(&file, "tgt_2").expect("overwritten");
        assert_eq!(read(&file).expect("read"), "tgt_2");
        assert_eq!(fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o600);
    }
}
