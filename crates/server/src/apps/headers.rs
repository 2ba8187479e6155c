//! What of a message's head is passed on.

use axum::http::header::{
    AUTHORIZATION, CONNECTION, COOKIE, EXPECT, HOST, HeaderName, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION,
    SET_COOKIE, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use axum::http::{HeaderMap, HeaderValue};
use std::net::IpAddr;

/// The cookie of a session.
pub const SESSION: &str = "tidegate_session";

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
const FORWARDED_PREFIX: HeaderName = HeaderName::from_static("x-forwarded-prefix");
/// Would let a program put itself before others of the same origin, for good.
const WORKER_SCOPE: HeaderName = HeaderName::from_static("service-worker-allowed");
/// Would let a program end the sessions of others.
const CLEAR: HeaderName = HeaderName::from_static("clear-site-data");

/// About a connection, not about what is sent over it.
const HOP_BY_HOP: [HeaderName; 9] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// The protocol that a request asks to go over to.
pub(super) fn upgrade(headers: &HeaderMap) -> Option<HeaderValue> {
    let asked = tokens(headers).any(|token| token.eq_ignore_ascii_case("upgrade"));
    headers.get(UPGRADE).filter(|_| asked).cloned()
}

/// What the Connection headers name.
fn tokens(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(CONNECTION).into_iter().filter_map(|value| value.to_str().ok());
    lines.flat_map(|line| line.split(',')).map(str::trim)
}

fn remove_hop_by_hop(headers: &mut HeaderMap) {
    if headers.contains_key(CONNECTION) {
        let named: Vec<HeaderName> = tokens(headers).filter_map(|token| token.parse().ok()).collect();
        // A request stays one to the same host, whatever it says of that header.
        named.iter().filter(|name| **name != HOST).for_each(|name| drop(headers.remove(name)));
    }
    HOP_BY_HOP.iter().for_each(|name| drop(headers.remove(name)));
}

/// The bearer's token.
pub(super) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

/// Secrets of sessions: a browser sends those of all paths that fit.
pub(super) fn sessions(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(|(name, _)| *name == SESSION).map(|(_, value)| value)
}

/// Leaves of a request what concerns the program, and nothing that would let it act for its caller.
pub(super) fn clean_request(headers: &mut HeaderMap, is_ours: impl Fn(&str) -> bool) {
    remove_hop_by_hop(headers);
    headers.remove(EXPECT);
    if bearer(headers).is_some_and(is_ours) {
        headers.remove(AUTHORIZATION);
    }
    if headers.get_all(COOKIE).iter().any(|line| contains(line.as_bytes(), SESSION.as_bytes())) {
        let kept: Vec<HeaderValue> = headers.get_all(COOKIE).iter().filter_map(without_session).collect();
        headers.remove(COOKIE);
        kept.into_iter().for_each(|line| _ = headers.append(COOKIE, line));
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// A line of cookies without ours; `None` if nothing is left.
fn without_session(line: &HeaderValue) -> Option<HeaderValue> {
    let ours = |pair: &[u8]| pair.trim_ascii().split(|b| *b == b'=').next() == Some(SESSION.as_bytes());
    let kept: Vec<&[u8]> = line.as_bytes().split(|b| *b == b';').filter(|pair| !ours(pair)).collect();
    let kept = kept.join(&b';');
    let kept = kept.trim_ascii();
    if kept.is_empty() { None } else { HeaderValue::from_bytes(kept).ok() }
}

/// Leaves of an answer what concerns the caller, and nothing that reaches beyond the program's own paths.
pub(super) fn clean_answer(headers: &mut HeaderMap, prefix: &str) {
    remove_hop_by_hop(headers);
    headers.remove(CLEAR);
    let within = |scope: &HeaderValue| scope.as_bytes().starts_with(format!("{prefix}/").as_bytes());
    if headers.get(WORKER_SCOPE).is_some_and(|scope| !within(scope)) {
        headers.remove(WORKER_SCOPE);
    }
    let ours = |line: &HeaderValue| {
        line.as_bytes().trim_ascii_start().split(|b| *b == b'=').next().map(<[u8]>::trim_ascii_end)
            == Some(SESSION.as_bytes())
    };
    if headers.get_all(SET_COOKIE).iter().any(ours) {
        let kept: Vec<HeaderValue> =
            headers.get_all(SET_COOKIE).iter().filter(|line| !ours(line)).cloned().collect();
        headers.remove(SET_COOKIE);
        kept.into_iter().for_each(|line| _ = headers.append(SET_COOKIE, line));
    }
}

/// How a request came to us.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin<'a> {
    pub(super) peer: IpAddr,
    pub(super) is_secure: bool,
    /// Somebody whom we trust stands before us: what it says of the caller is kept.
    pub(super) is_fronted: bool,
    /// What was taken off the path.
    pub(super) prefix: &'a str,
}

/// Tells the program who asked, and how.
pub(super) fn forward(headers: &mut HeaderMap, origin: Origin<'_>) {
    let text = |text: &str| HeaderValue::from_str(text).ok();
    let mut set = |name: HeaderName, value: Option<HeaderValue>| match value {
        Some(value) => _ = headers.insert(name, value),
        None => _ = headers.remove(name),
    };
    let proto = HeaderValue::from_static(if origin.is_secure { "https" } else { "http" });
    set(FORWARDED_PREFIX, text(origin.prefix));
    if !origin.is_fronted {
        set(FORWARDED_FOR, text(&origin.peer.to_string()));
        set(FORWARDED_PROTO, Some(proto));
        let host = headers.get(HOST).cloned();
        if let Some(host) = host {
            headers.insert(FORWARDED_HOST, host);
        } else {
            headers.remove(FORWARDED_HOST);
        }
        return;
    }
    let before = headers.get(FORWARDED_FOR).and_then(|value| value.to_str().ok());
    let chain = before.map_or(origin.peer.to_string(), |before| format!("{before}, {}", origin.peer));
    headers.insert(FORWARDED_FOR, text(&chain).unwrap_or(HeaderValue::from_static("unknown")));
    headers.entry(FORWARDED_PROTO).or_insert(proto);
    if let Some(host) = headers.get(HOST).cloned() {
        headers.entry(FORWARDED_HOST).or_insert(host);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(lines: &[(&str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(name.parse::<HeaderName>().expect("a name"), value.parse().expect("a value"));
        }
        headers
    }

    fn lines(headers: &HeaderMap) -> Vec<String> {
        let mut all: Vec<String> =
            headers.iter().map(|(n, v)| format!("{n}: {}", v.to_str().expect("text"))).collect();
        all.sort();
        all
    }

    #[test]
    fn a_request_is_passed_on_without_what_is_ours() {
        let mut headers = head(&[
            ("host", "apps"),
            ("connection", "keep-alive, X-Secret, host"),
            ("x-secret", "1"),
            ("te", "trailers"),
            ("transfer-encoding", "chunked"),
            ("authorization", "bearer  tgt_1"),
            ("cookie", "a=1; tidegate_session=x; b=2"),
            ("cookie", "tidegate_session=y"),
            ("cookie", "xtidegate_session=z"),
        ]);
        assert_eq!(bearer(&headers), Some("tgt_1"));
        assert_eq!(sessions(&headers).collect::<Vec<_>>(), ["x", "y"]);
        clean_request(&mut headers, |token| token == "tgt_1");
        assert_eq!(lines(&headers), ["cookie: a=1; b=2", "cookie: xtidegate_session=z", "host: apps"]);
        let mut other = head(&[("authorization", "Bearer mine"), ("cookie", "a=1")]);
        clean_request(&mut other, |token| token == "tgt_1");
        assert_eq!(lines(&other), ["authorization: Bearer mine", "cookie: a=1"]);
    }

    #[test]
    fn an_answer_reaches_no_further_than_its_program() {
        let mut headers = head(&[
            ("connection", "close"),
            ("keep-alive", "timeout=5"),
            ("set-cookie", "tidegate_session=x; Path=/"),
            ("set-cookie", " tidegate_session =x"),
            ("set-cookie", "mine=1"),
            ("clear-site-data", "\"cookies\""),
            ("service-worker-allowed", "/"),
        ]);
        clean_answer(&mut headers, "/default/web");
        assert_eq!(lines(&headers), ["set-cookie: mine=1"]);
        let mut own = head(&[("service-worker-allowed", "/default/web/lab")]);
        clean_answer(&mut own, "/default/web");
        assert_eq!(lines(&own).len(), 1);
    }

    #[test]
    fn only_who_is_trusted_says_who_asked() {
        let given = [("host", "a:1"), ("x-forwarded-for", "1.1.1.1"), ("x-forwarded-proto", "https")];
        let mut headers = head(&given);
        let peer = "10.0.0.9".parse().expect("an address");
        let origin = Origin { peer, is_secure: false, is_fronted: false, prefix: "/default/web" };
        forward(&mut headers, origin);
        let expected = [
            "host: a:1",
            "x-forwarded-for: 10.0.0.9",
            "x-forwarded-host: a:1",
            "x-forwarded-prefix: /default/web",
            "x-forwarded-proto: http",
        ];
        assert_eq!(lines(&headers), expected);
        let mut headers = head(&given);
        forward(&mut headers, Origin { is_fronted: true, ..origin });
        assert!(lines(&headers).contains(&"x-forwarded-for: 1.1.1.1, 10.0.0.9".to_string()));
        assert!(lines(&headers).contains(&"x-forwarded-proto: https".to_string()));
    }

    #[test]
    fn an_upgrade_is_asked_for_by_both_headers() {
        let asked = head(&[("connection", "keep-alive, Upgrade"), ("upgrade", "websocket")]);
        assert_eq!(upgrade(&asked).expect("one"), "websocket");
        assert_eq!(upgrade(&head(&[("upgrade", "websocket")])), None);
        assert_eq!(upgrade(&head(&[("connection", "upgrade")])), None);
    }
}
