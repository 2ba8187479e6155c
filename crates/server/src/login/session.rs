//! What lets somebody in, as it comes and goes: sessions of browsers and invitations.

use crate::core::deck::Deck;
use crate::token::TokenHash;
use tidegate_api::limits::{INVITATION_TIME, MAX_SESSIONS, SESSION_TIME};
use tidegate_engine::ids::{MemberId, Span, Tick};
use tidegate_identity::record::{Token, TokenId, TokenKind, User};
use tidegate_identity::{People, Record};

/// What secrets of sessions begin with.
pub const SESSION_PREFIX: &str = "tgs_";
/// What those of invitations begin with.
pub const INVITATION_PREFIX: &str = "tgi_";

/// Lets a browser in. Sessions that are over go, and the oldest if there are too many.
pub fn begin(deck: &mut Deck<'_>, user: MemberId, secret: &str) -> Tick {
    let now = deck.now();
    end(deck, user, TokenKind::Session, |token| !token.is_good(now));
    let mut sessions: Vec<TokenId> =
        deck.world().people.tokens_of(user, TokenKind::Session).map(|token| token.id).collect();
    // Numbers are given out in order.
    let too_many = (sessions.len() + 1).saturating_sub(MAX_SESSIONS);
    sessions.truncate(too_many);
    end(deck, user, TokenKind::Session, |token| sessions.contains(&token.id));
    put(deck, user, TokenKind::Session, secret, SESSION_TIME)
}

/// Makes an invitation. It takes the place of the one before.
pub fn invite(deck: &mut Deck<'_>, user: MemberId, secret: &str) -> Tick {
    end(deck, user, TokenKind::Invitation, |_| true);
    put(deck, user, TokenKind::Invitation, secret, INVITATION_TIME)
}

/// Removes of a user what lets in, as far as it is of this kind and such.
pub fn end(deck: &mut Deck<'_>, user: MemberId, kind: TokenKind, such: impl Fn(&Token) -> bool) {
    let tokens = deck.world().people.tokens_of(user, kind).filter(|token| such(token));
    let tokens: Vec<Record> = tokens.cloned().map(Record::Token).collect();
    tokens.into_iter().for_each(|token| deck.put(Some(token), None));
}

/// Of what is over, so much goes in one entry of the log.
const SWEPT: usize = 256;

/// Whether anything lets nobody in any more.
pub fn is_due(people: &People, now: Tick) -> bool {
    people.tokens().any(|token| !token.is_good(now))
}

/// Removes what lets nobody in any more, some of it.
pub fn sweep(deck: &mut Deck<'_>) {
    let now = deck.now();
    let over = deck.world().people.tokens().filter(|token| !token.is_good(now)).take(SWEPT);
    let over: Vec<Record> = over.cloned().map(Record::Token).collect();
    over.into_iter().for_each(|token| deck.put(Some(token), None));
}

/// Gives a user another password. Whoever knew the former one is let in no longer, but for one session.
pub fn set_password(deck: &mut Deck<'_>, user: &User, hash: Box<str>, but: Option<TokenId>) {
    let after = User { password: Some(hash), ..user.clone() };
    deck.put(Some(Record::User(user.clone())), Some(Record::User(after)));
    end(deck, user.id, TokenKind::Session, |token| Some(token.id) != but);
    end(deck, user.id, TokenKind::Invitation, |_| true);
}

fn put(deck: &mut Deck<'_>, user: MemberId, kind: TokenKind, secret: &str, time: Span) -> Tick {
    let expires = deck.now().after(time);
    let token = Token {
        id: deck.world().people.next_token(),
        user,
        name: "".into(),
        kind,
        hash: TokenHash::of(secret).0,
        scope: None,
        created: deck.now(),
        expires: Some(expires),
        last_used: None,
    };
    deck.put(None, Some(Record::Token(token)));
    expires
}
