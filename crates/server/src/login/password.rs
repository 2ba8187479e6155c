//! Passwords, hashed by argon2id. A hash takes time and memory on purpose, so only a few are computed at once, away
//! from the threads that answer.

use argon2::password_hash::{PasswordHash, SaltString};
use argon2::{Algorithm, Argon2, Params, PasswordHasher, PasswordVerifier, Version};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Memory of one hash in KiB, passes over it, lanes: what OWASP asks for at least.
const MEMORY: u32 = 19_456;
const PASSES: u32 = 2;
const LANES: u32 = 1;
/// Hashes that are computed at once: 40 MiB of memory, two cores.
const AT_ONCE: usize = 2;
/// Those that wait for a turn. Each takes about 30 ms.
const MAX_WAITING: usize = 64;

/// Compared with where there is nothing to compare with: of the same cost as any other, and of no password that
/// anybody could find.
const NOBODYS: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// More wait than can be served soon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Busy;

#[derive(Debug)]
pub struct Passwords {
    waiting: Arc<Semaphore>,
    turns: Arc<Semaphore>,
    computed: Arc<AtomicU64>,
}

impl Default for Passwords {
    fn default() -> Passwords {
        Passwords {
            waiting: Arc::new(Semaphore::new(MAX_WAITING)),
            turns: Arc::new(Semaphore::new(AT_ONCE)),
            computed: Arc::default(),
        }
    }
}

impl Passwords {
    /// Whether a password is the one of a hash. Takes as long if there is none.
    pub async fn verify(&self, password: String, hash: Option<Box<str>>) -> Result<bool, Busy> {
        self.compute(move || {
            let parsed = PasswordHash::new(hash.as_deref().unwrap_or(NOBODYS));
            let is_right =
                parsed.is_ok_and(|hash| method().verify_password(password.as_bytes(), &hash).is_ok());
            is_right && hash.is_some()
        })
        .await
    }

    /// What is kept of a password.
    pub async fn hash(&self, password: String) -> Result<Box<str>, Busy> {
        self.compute(move || {
            let mut salt = [0; 16];
            getrandom::fill(&mut salt).map_err(|_| Busy)?;
            let salt = SaltString::encode_b64(&salt).map_err(|_| Busy)?;
            let hash = method().hash_password(password.as_bytes(), &salt).map_err(|_| Busy)?;
            Ok(hash.to_string().into())
        })
        .await?
    }

    /// How many hashes were computed.
    pub fn computed(&self) -> u64 {
        self.computed.load(Ordering::Relaxed)
    }

    async fn compute<R: Send + 'static>(&self, work: impl FnOnce() -> R + Send + 'static) -> Result<R, Busy> {
        let _place = self.waiting.try_acquire().map_err(|_| Busy)?;
        let turn: OwnedSemaphorePermit = self.turns.clone().acquire_owned().await.map_err(|_| Busy)?;
        let computed = self.computed.clone();
        let job = tokio::task::spawn_blocking(move || {
            let done = work();
            computed.fetch_add(1, Ordering::Relaxed);
            // Who asked may have gone away: the turn ends with the work.
            drop(turn);
            done
        });
        job.await.map_err(|_| Busy)
    }
}

fn method() -> Argon2<'static> {
    let parameters = Params::new(MEMORY, PASSES, LANES, None).expect("the parameters are within bounds");
    Argon2::new(Algorithm::Argon2id, Version::V0x13, parameters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_password_is_known_by_its_hash() {
        let passwords = Passwords::default();
        let hash = passwords.hash("correct horse".into()).await.expect("a turn");
        let again = passwords.hash("correct horse".into()).await.expect("a turn");
        assert_ne!(hash, again, "salted");
        let verify =
            |password: &str, hash: Option<&str>| passwords.verify(password.into(), hash.map(Into::into));
        assert_eq!(verify("correct horse", Some(&hash)).await, Ok(true));
        assert_eq!(verify("correct horsf", Some(&hash)).await, Ok(false));
        assert_eq!(verify("correct horse", None).await, Ok(false));
        assert_eq!(verify("correct horse", Some("garbage")).await, Ok(false));
        // What is compared with nobody's costs the same.
        let cost = |hash: &str| hash.rsplitn(3, '$').last().map(str::to_string);
        assert_eq!(cost(&hash), cost(NOBODYS));
        assert!(PasswordHash::new(NOBODYS).is_ok_and(|hash| hash.hash.is_some_and(|hash| hash.len() == 32)));
    }
}
