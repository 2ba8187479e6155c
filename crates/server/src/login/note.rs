//! When a token was last used: written down to the hour, and never while somebody waits for it.

use crate::core::control::Control;
use crate::core::entry::Origin;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use tidegate_engine::ids::{Span, Tick};
use tidegate_identity::Record;
use tidegate_identity::record::{Token, TokenId};

/// How often it is written down that a token was used.
const NOTED_EVERY: Span = Span::hours(1);

/// Whether it is worth a note that a token is used now.
fn is_news(token: &Token, now: Tick) -> bool {
    token.last_used.is_none_or(|last| now.since(last) >= NOTED_EVERY)
}

/// Tokens whose use is being written down: many requests with one token make one note.
#[derive(Clone, Debug, Default)]
pub struct Noted(Arc<Mutex<BTreeSet<TokenId>>>);

impl Noted {
    /// A token is used. If that cannot be written now, the next use tries again.
    pub fn used(&self, control: &Control, token: &Token, now: Tick) {
        let id = token.id;
        if !is_news(token, now) || !self.0.lock().expect("nobody panics here").insert(id) {
            return;
        }
        let (control, noted) = (control.clone(), self.clone());
        tokio::spawn(async move {
            let written = control.write(Origin::new("system", "token.used"), move |deck| {
                let token = deck.world().people.token(id).cloned();
                if let Some(token) = token.filter(|token| is_news(token, deck.now())) {
                    let after = Token { last_used: Some(deck.now()), ..token.clone() };
                    deck.put(Some(Record::Token(token)), Some(Record::Token(after)));
                }
            });
            if let Err(why) = written.await {
                tracing::debug!(?why, "the use of a token was not noted");
            }
            noted.0.lock().expect("nobody panics here").remove(&id);
        });
    }
}
