//! Whether a request with an Idempotency-Key is the one that was answered before.

use crate::core::deck::Receipt;
use sha2::{Digest, Sha256};
use tidegate_api::problem::{Code, Problem};
use tidegate_identity::{People, Who};

/// What is asked for: method, path and body.
#[derive(Clone)]
pub(super) struct Asked(Sha256);

impl Asked {
    pub(super) fn new(target: &str, sent: &[u8]) -> Asked {
        let mut hash = Sha256::new();
        hash.update(target.as_bytes());
        hash.update([0]);
        hash.update(sent);
        Asked(hash)
    }

    /// The same, and what whoever asks may do now: an answer is for who may as much as the one that got it, not for a
    /// narrower token or for who has left the workspace since. To carry it out again instead could do it twice.
    pub(super) fn by(self, people: &People, who: &Who) -> [u8; 32] {
        let mut hash = self.0;
        let mut say = |text: &str| {
            hash.update([0]);
            hash.update(text.as_bytes());
        };
        match who.scope {
            None => say("everything"),
            Some(scope) => scope.iter().for_each(|action| say(action.word())),
        }
        if people.user(who.user).is_some_and(|user| user.platform_admin) {
            say("platform");
            return hash.finalize().into();
        }
        for room in people.rooms(who.user) {
            say(&room.0.to_string());
            let actions = people.actions_in(room, who.user).unwrap_or_default();
            actions.iter().for_each(|action| say(action.word()));
        }
        hash.finalize().into()
    }
}

/// Whether a receipt is of this request.
pub(super) fn same(receipt: &Receipt, request: [u8; 32]) -> Result<(), Problem> {
    if receipt.request == request {
        return Ok(());
    }
    let detail = "this Idempotency-Key was used for another request, or when you had other rights";
    Err(Problem::new(Code::IdempotencyMismatch, detail).hint("use a new key for a new request"))
}
