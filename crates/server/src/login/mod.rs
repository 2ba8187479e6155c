//! Logging in: passwords, sessions of browsers, invitations, a provider of identities.

pub mod cookie;
pub mod note;
pub mod oidc;
pub mod password;
pub mod session;
pub mod throttle;

use note::Noted;
use oidc::Oidc;
use password::{Busy, Passwords};
use std::sync::Arc;
use throttle::Throttle;
use tidegate_engine::ids::MemberId;
use tidegate_identity::People;
use tidegate_identity::record::{User, UserKind};

/// What is needed to let people in.
#[derive(Debug)]
pub struct Login {
    pub passwords: Passwords,
    pub throttle: Throttle,
    /// What addresses of the console begin with, as browsers see them.
    pub origin: String,
    /// Browsers come by TLS.
    pub is_secure: bool,
    pub oidc: Option<Arc<Oidc>>,
    pub noted: Noted,
}

impl Login {
    pub fn new(origin: String, oidc: Option<Oidc>) -> Login {
        Login {
            passwords: Passwords::default(),
            throttle: Throttle::default(),
            is_secure: origin.starts_with("https://"),
            origin,
            oidc: oidc.map(Arc::new),
            noted: Noted::default(),
        }
    }

    /// The address that an invitation is followed at.
    pub fn invitation(&self, secret: &str) -> String {
        format!("{}/#/invitation/{secret}", self.origin)
    }

    /// Whose name and password these are. However it ends, one hash is computed: the time it takes tells nobody who
    /// there is.
    pub async fn identify(
        &self,
        people: &People,
        name: &str,
        password: String,
    ) -> Result<Option<MemberId>, Busy> {
        let user = people.user_named(name).filter(|user| may_log_in(user));
        let hash = user.and_then(|user| user.password.clone());
        let is_right = self.passwords.verify(password, hash).await?;
        Ok(user.filter(|_| is_right).map(|user| user.id))
    }
}

/// Programs with an account of their own have tokens.
pub fn may_log_in(user: &User) -> bool {
    !user.disabled && user.kind == UserKind::Person
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidegate_engine::ids::{Tick, WorkspaceId};
    use tidegate_identity::{Change, Record};

    fn add(people: &mut People, name: &str, password: Option<&str>, change: impl FnOnce(&mut User)) {
        let mut user = User {
            id: people.next_user(),
            name: name.into(),
            kind: UserKind::Person,
            platform_admin: false,
            disabled: false,
            password: password.map(Into::into),
            provider: None,
            created: Tick(0),
        };
        change(&mut user);
        people.apply(1, &Change { at: Tick(0), before: None, after: Some(Box::new(Record::User(user))) });
    }

    #[tokio::test]
    async fn one_hash_is_computed_however_it_ends() {
        let login = Login::new("http://127.0.0.1".into(), None);
        let hash = login.passwords.hash("the right password".into()).await.expect("a turn");
        let mut people = People::default();
        add(&mut people, "berta", Some(&hash), |_| ());
        add(&mut people, "away", Some(&hash), |user| user.disabled = true);
        add(&mut people, "ci", Some(&hash), |user| user.kind = UserKind::ServiceAccount(WorkspaceId(0)));
        add(&mut people, "new", None, |_| ());
        for (name, password, is_let_in) in [
            ("berta", "the right password", true),
            ("berta", "the wrong password", false),
            ("berta", "", false),
            ("away", "the right password", false),
            ("ci", "the right password", false),
            ("new", "the right password", false),
            ("nobody", "the right password", false),
            ("../berta", "the right password", false),
        ] {
            let before = login.passwords.computed();
            let found = login.identify(&people, name, password.into()).await.expect("a turn");
            assert_eq!(found.is_some(), is_let_in, "{name}");
            assert_eq!(login.passwords.computed(), before + 1, "{name}: {password}");
        }
    }
}
