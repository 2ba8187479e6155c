//! The cookie of a session, and what a request that carries it must show.

use super::Login;
use crate::apps::SESSION_COOKIE;
use axum::http::header::{COOKIE, HOST, ORIGIN};
use axum::http::{HeaderMap, Method};
use tidegate_api::limits::SESSION_TIME;
use tidegate_api::problem::{Code, Problem};

/// Scripts of other sites cannot set it without being asked for leave first, which nobody gives them.
pub const CSRF: &str = "x-tidegate-csrf";
const FETCH_SITE: &str = "sec-fetch-site";

/// Values of a cookie: a browser sends those of all paths that fit.
pub fn values<'a>(headers: &'a HeaderMap, name: &str) -> impl Iterator<Item = &'a str> {
    let lines = headers.get_all(COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(move |(given, _)| *given == name).map(|(_, value)| value)
}

/// Secrets of sessions that a request carries.
pub fn sessions(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    values(headers, SESSION_COOKIE)
}

impl Login {
    /// Sets the cookie of a session.
    pub fn cookie(&self, secret: &str) -> String {
        let seconds = SESSION_TIME.0 / 1_000;
        format!(
            "{SESSION_COOKIE}={secret}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{}",
            self.secure()
        )
    }

    /// Takes it away.
    pub fn no_cookie(&self) -> String {
        format!("{SESSION_COOKIE}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict{}", self.secure())
    }

    pub fn secure(&self) -> &'static str {
        if self.is_secure { "; Secure" } else { "" }
    }

    /// Whether a request that is let in by a cookie comes from a page of ours. A notebook is of the same site, but not
    /// of the same origin.
    pub fn same_origin(&self, method: &Method, headers: &HeaderMap) -> Result<(), Problem> {
        if matches!(*method, Method::GET | Method::HEAD) {
            return Ok(());
        }
        let is_marked = headers.get(CSRF).is_some_and(|value| value == "1");
        if is_marked && self.comes_from_us(headers) == Some(true) {
            return Ok(());
        }
        let detail = "a change with a cookie needs X-Tidegate-Csrf: 1 and this server's own origin";
        Err(Problem::new(Code::CrossSite, detail))
    }

    /// No page but ours logs somebody in, as whom that page likes. Programs say nothing of where they come from.
    pub fn not_foreign(&self, headers: &HeaderMap) -> Result<(), Problem> {
        match self.comes_from_us(headers) {
            Some(false) => Err(Problem::new(Code::CrossSite, "a page of another origin cannot log in here")),
            _ => Ok(()),
        }
    }

    /// What the browser says of the page that asks. All that is said must be right.
    fn comes_from_us(&self, headers: &HeaderMap) -> Option<bool> {
        let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        let origin = text(ORIGIN.as_str()).map(|origin| self.is_own(origin, text(HOST.as_str())));
        let site = text(FETCH_SITE).map(|site| site == "same-origin");
        origin.or(site).map(|_| origin != Some(false) && site != Some(false))
    }

    fn is_own(&self, origin: &str, host: Option<&str>) -> bool {
        let scheme = if self.is_secure { "https://" } else { "http://" };
        origin == self.origin || host.is_some_and(|host| origin.strip_prefix(scheme) == Some(host))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::{HeaderName, HeaderValue};

    fn head(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &str)| {
            (HeaderName::from_static(name), HeaderValue::from_str(value).expect("a value"))
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn a_change_shows_where_it_comes_from() {
        let login = Login::new("https://tide.example".into(), None);
        let host = ("host", "10.0.0.1:7070");
        let (own, csrf) = (("origin", "https://tide.example"), (CSRF, "1"));
        let is_fine = |pairs: &[_]| login.same_origin(&Method::POST, &head(pairs)).is_ok();
        assert!(is_fine(&[host, own, csrf]));
        assert!(is_fine(&[host, ("sec-fetch-site", "same-origin"), csrf]));
        assert!(is_fine(&[host, ("origin", "https://10.0.0.1:7070"), csrf]), "as the browser calls it");
        for wrong in [
            &[host, csrf][..],
            &[host, own],
            &[host, own, (CSRF, "0")],
            &[host, ("origin", "null"), csrf],
            &[host, ("origin", "https://evil.example"), csrf],
            &[host, ("origin", "https://tide.example.evil.example"), csrf],
            &[host, ("origin", "http://10.0.0.1:7070"), csrf],
            &[host, ("origin", "https://10.0.0.1:7071"), csrf],
            &[host, ("sec-fetch-site", "same-site"), csrf],
            &[host, ("sec-fetch-site", "none"), csrf],
            &[host, own, ("sec-fetch-site", "cross-site"), csrf],
            &[host, ("origin", "https://evil.example"), ("sec-fetch-site", "same-origin"), csrf],
        ] {
            assert!(!is_fine(wrong), "{wrong:?}");
        }
        assert!(login.same_origin(&Method::GET, &head(&[host])).is_ok(), "looking changes nothing");
    }

    #[test]
    fn the_cookie_is_closed_to_scripts_and_other_sites() {
        let set = Login::new("https://tide.example".into(), None).cookie("s");
        assert_eq!(set, "tidegate_session=s; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure");
        assert!(!Login::new("http://127.0.0.1:7070".into(), None).cookie("s").contains("Secure"));
        let headers = head(&[
            ("cookie", "a=1; tidegate_session=x; xtidegate_session=y"),
            ("cookie", "tidegate_session=z"),
        ]);
        assert_eq!(sessions(&headers).collect::<Vec<_>>(), ["x", "z"]);
    }
}
