//! What a user is called whom a provider vouches for.

use serde_json::{Map, Value};
use tidegate_api::limits::MAX_NAME;
use tidegate_api::name::Name;
use tidegate_identity::People;

/// Room for a number at the end.
const ROOM: usize = 6;

/// A name out of the claims, as far as it can be one.
pub(super) fn suggested(claims: &Map<String, Value>, claim: Option<&str>) -> Option<String> {
    let text = |name: &str| claims.get(name).and_then(Value::as_str).and_then(tidy);
    match claim {
        Some(claim) => text(claim),
        None => text("preferred_username").or_else(|| text("email")),
    }
}

/// What stands before the @, in letters that a name may have.
fn tidy(text: &str) -> Option<String> {
    let local = text.split('@').next().unwrap_or_default();
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let letters = local.chars().map(|c| if fits(c) { c.to_ascii_lowercase() } else { '-' });
    let name: String = letters.skip_while(|c| !c.is_ascii_alphanumeric()).take(MAX_NAME - ROOM).collect();
    (!name.is_empty()).then_some(name)
}

/// The name, with a number if somebody has it already: nobody becomes another by being called alike.
pub fn free(people: &People, wanted: &str) -> Option<Name> {
    let numbered = (2..100_000).map(|number| format!("{wanted}-{number}"));
    let mut all = std::iter::once(wanted.to_string()).chain(numbered);
    all.find(|name| people.user_alike(name).is_none()).and_then(|name| name.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn whatever_a_provider_says_becomes_a_name_or_none() {
        for (said, name) in [
            ("berta", Some("berta")),
            ("Berta.B@example.com", Some("berta.b")),
            ("--b\u{e9}rta b", Some("b-rta-b")),
            ("../../etc", Some("etc")),
            ("\u{432}", None),
            ("@example.com", None),
            ("", None),
        ] {
            assert_eq!(tidy(said).as_deref(), name, "{said}");
            assert!(name.is_none_or(|name| name.parse::<Name>().is_ok()));
        }
        assert!(tidy(&"x".repeat(500)).is_some_and(|name| free(&People::default(), &name).is_some()));
    }

    #[test]
    fn nobody_becomes_who_is_there_already() {
        let people = People::default();
        assert_eq!(free(&people, "admin").as_deref(), Some("admin-2"));
        assert_eq!(free(&people, "berta").as_deref(), Some("berta"));
    }

    #[test]
    fn the_claim_is_the_one_that_was_asked_for() {
        let claims = json!({"preferred_username": "a", "email": "b@x", "upn": "c@x"});
        let claims = claims.as_object().expect("an object");
        assert_eq!(suggested(claims, None).as_deref(), Some("a"));
        assert_eq!(suggested(claims, Some("upn")).as_deref(), Some("c"));
        assert_eq!(suggested(claims, Some("none")), None);
        assert_eq!(suggested(json!({"email": "b@x"}).as_object().expect("one"), None).as_deref(), Some("b"));
    }
}
