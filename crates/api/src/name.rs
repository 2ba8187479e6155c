//! Names of things, as people choose them.

use crate::limits::MAX_NAME;
use crate::schema::{Text, text_type};

/// 1 to 63 letters, digits, `-`, `_` or `.`, starting with a letter or digit.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(Box<str>);

impl Name {
    pub fn new(text: &str) -> Result<Name, String> {
        let wrong = |why: String| Err(format!("{why}; a name has {}", Name::RULE));
        let Some(first) = text.chars().next() else { return wrong("a name is not empty".into()) };
        if text.len() > MAX_NAME {
            return wrong(format!("{} bytes are more than {MAX_NAME}", text.len()));
        }
        if !first.is_ascii_alphanumeric() {
            return wrong(format!("{first:?} cannot be the first character"));
        }
        let bad = |c: &char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
        match text.chars().find(bad) {
            Some(c) => wrong(format!("{c:?} is not allowed")),
            None => Ok(Name(text.into())),
        }
    }

    /// Stands for something that has no name any more.
    pub(crate) fn unknown() -> Name {
        Name("unknown".into())
    }

    const RULE: &str = "1 to 63 letters, digits, '-', '_' or '.', starting with a letter or digit";

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::ops::Deref for Name {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl std::str::FromStr for Name {
    type Err = String;
    fn from_str(text: &str) -> Result<Name, String> {
        Name::new(text)
    }
}

text_type!(Name);

impl Text for Name {
    const NAME: &str = "Name";
    const ABOUT: &str = "1 to 63 letters, digits, `-`, `_` or `.`, starting with a letter or digit.";
    const PATTERN: &str = "^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$";
    const EXAMPLE: &str = "Quota1.1";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_1_to_63_characters() {
        assert!(Name::new(&"a".repeat(MAX_NAME)).is_ok());
        assert!(Name::new(&"a".repeat(MAX_NAME + 1)).unwrap_err().contains("64 bytes"));
        assert!(Name::new("").is_err());
    }

    #[test]
    fn a_name_starts_with_a_letter_or_digit_and_has_no_spaces() {
        for good in ["a", "9", "Quota1.1", "h100-3", "a_b"] {
            assert_eq!(Name::new(good).unwrap().as_str(), good);
        }
        for bad in ["-a", ".a", "_a", "a b", "a/b", "ä", "a\n", "a:b"] {
            assert!(Name::new(bad).is_err(), "{bad:?}");
        }
    }
}
