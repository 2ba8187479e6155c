//! The web console: files that were built beside this crate and are part of the binary. A client of the API like any
//! other; nothing here knows what is in them.

use super::routes::system::nowhere;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{
    ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    IF_NONE_MATCH, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use rust_embed::Embed;
use std::borrow::Cow;
use std::fmt::Write;

/// In debug builds these are read from disk at every request, so that a new console needs no new binary.
#[derive(Debug, Embed)]
#[folder = "../../console/dist"]
#[allow_missing = true]
struct Built;

/// The page that every address of the console begins with: the addresses below are the console's own affair.
const PAGE: &str = "index.html";
/// Names of files in here contain a hash of what is in them.
const HASHED: &str = "assets/";

/// Nothing runs or looks like anything here but what this server hands out, and nobody shows it inside another page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; \
    frame-ancestors 'none'";

const NOT_BUILT: &str = "<!doctype html>
<html lang=\"en\">
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width\">
<title>Tidegate</title>
<h1>Tidegate is running</h1>
<p>This binary was built without its console. To have it, with Node.js installed, in the source tree:</p>
<pre>make console
cargo build --release</pre>
<p>The API and the command line need no console: see <a href=\"/version\">/version</a> and
<code>tidegate --help</code>.</p>
</html>
";

/// A file of the console.
struct Found {
    bytes: Cow<'static, [u8]>,
    hash: [u8; 32],
}

/// Where files are found by name.
type Files<'a> = &'a dyn Fn(&str) -> Option<Found>;

fn built(name: &str) -> Option<Found> {
    let file = Built::get(name)?;
    Some(Found { bytes: file.data, hash: file.metadata.sha256_hash() })
}

/// What is at no route: a file of the console, its page, or nothing.
pub async fn console(request: Request) -> Response {
    match answer(&built, request.method(), request.uri().path(), request.headers()) {
        Some(response) => response,
        None => nowhere().await.into_response(),
    }
}

/// `None`: the console has nothing there.
fn answer(files: Files<'_>, method: &Method, path: &str, headers: &HeaderMap) -> Option<Response> {
    let is_reading = matches!(*method, Method::GET | Method::HEAD);
    if !is_reading || path == "/api" || path.starts_with("/api/") {
        return None;
    }
    let name = path.trim_start_matches('/');
    let is_page = name.is_empty() || name == PAGE;
    if !is_page && let Some(file) = file(files, name, headers) {
        return Some(file);
    }
    // A file that is asked for and missing is missing: a page in its place would be kept and run as a script.
    let wants_page = is_page || (!name.starts_with(HASHED) && accepts(headers, ACCEPT.as_str(), "text/html"));
    if !wants_page {
        return None;
    }
    Some(file(files, PAGE, headers).unwrap_or_else(|| guarded(NOT_BUILT.into_response(), PAGE)))
}

fn file(files: Files<'_>, name: &str, headers: &HeaderMap) -> Option<Response> {
    let packed = || files(&format!("{name}.gz")).filter(|_| accepts(headers, "accept-encoding", "gzip"));
    let (found, is_packed) = match packed() {
        Some(found) => (found, true),
        None => (files(name)?, false),
    };
    let tag = tag(&found.hash);
    let is_known = headers.get(IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let mut response = if is_known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        Response::new(Body::from(found.bytes.into_owned()))
    };
    let head = response.headers_mut();
    if is_packed {
        head.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    head.insert(VARY, HeaderValue::from(ACCEPT_ENCODING));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        head.insert(ETAG, tag);
    }
    Some(guarded(response, name))
}

/// Says what a file is, how long it may be kept, and what it may do.
fn guarded(mut response: Response, name: &str) -> Response {
    // Hashed names are never given to other bytes; all else is asked for again.
    let kept = if name.starts_with(HASHED) { "public, max-age=31536000, immutable" } else { "no-cache" };
    let pairs: [(HeaderName, &'static str); 5] = [
        (CONTENT_TYPE, kind(name)),
        (CACHE_CONTROL, kept),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
    ];
    for (header, value) in pairs {
        response.headers_mut().insert(header, HeaderValue::from_static(value));
    }
    response
}

fn tag(hash: &[u8; 32]) -> String {
    let mut tag = String::from("\"");
    for byte in &hash[..16] {
        let _ = write!(tag, "{byte:02x}");
    }
    tag.push('"');
    tag
}

/// Whether a header lists something, and does not rule it out.
fn accepts(headers: &HeaderMap, header: &str, what: &str) -> bool {
    let lines = headers.get_all(header).into_iter().filter_map(|value| value.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|one| {
        let mut parts = one.split(';').map(str::trim);
        let is_named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(what));
        is_named && !parts.any(|part| matches!(part, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
    })
}

fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, end)| end) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "woff2" => "font/woff2",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shelf(name: &str) -> Option<Found> {
        let bytes: &'static [u8] = match name {
            "index.html" => b"<page>",
            "assets/app-1a2b.js" => b"script",
            "assets/app-1a2b.js.gz" => b"packed",
            "icon.svg" => b"<svg>",
            _ => return None,
        };
        Some(Found { bytes: Cow::Borrowed(bytes), hash: [bytes[0]; 32] })
    }

    fn head(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        pairs.iter().map(pair).collect()
    }

    const HTML: (&str, &str) = ("accept", "text/html,application/xhtml+xml,*/*;q=0.8");

    fn get(path: &str, pairs: &[(&'static str, &'static str)]) -> Option<Response> {
        answer(&shelf, &Method::GET, path, &head(pairs))
    }

    async fn body(response: Option<Response>) -> String {
        let body = response.expect("an answer").into_body();
        let bytes = axum::body::to_bytes(body, 1 << 20).await.expect("a body");
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn value(response: &Option<Response>, name: &str) -> String {
        let headers = response.as_ref().expect("an answer").headers();
        headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_string()
    }

    #[tokio::test]
    async fn every_address_of_the_console_is_its_page() {
        for path in ["/", "/index.html", "/quotas", "/quotas/Quota1.1", "/workloads/a.b"] {
            let page = get(path, &[HTML]);
            assert_eq!(value(&page, "cache-control"), "no-cache", "{path}");
            assert_eq!(value(&page, "content-type"), "text/html; charset=utf-8", "{path}");
            assert_eq!(body(page).await, "<page>", "{path}");
        }
        assert!(get("/quotas", &[("accept", "*/*")]).is_none(), "a program is told that there is nothing");
        assert!(get("/quotas", &[("accept", "text/html;q=0")]).is_none());
        assert!(get("/assets/gone-1.js", &[HTML]).is_none(), "a file that is gone is no page");
    }

    #[tokio::test]
    async fn the_api_is_never_a_page() {
        for path in ["/api", "/api/", "/api/v1/nothing", "/api/v2/quotas"] {
            assert!(get(path, &[HTML]).is_none(), "{path}");
        }
        for method in [Method::POST, Method::PUT, Method::DELETE, Method::OPTIONS] {
            assert!(answer(&shelf, &method, "/", &head(&[HTML])).is_none(), "{method}");
        }
    }

    #[tokio::test]
    async fn hashed_files_are_kept_for_good_and_packed() {
        let plain = get("/assets/app-1a2b.js", &[]);
        assert_eq!(value(&plain, "cache-control"), "public, max-age=31536000, immutable");
        assert_eq!(value(&plain, "content-type"), "text/javascript; charset=utf-8");
        assert_eq!(value(&plain, "vary"), "accept-encoding");
        assert_eq!(body(plain).await, "script");
        let packed = get("/assets/app-1a2b.js", &[("accept-encoding", "br, gzip;q=0.5")]);
        assert_eq!(value(&packed, "content-encoding"), "gzip");
        assert_eq!(value(&packed, "content-type"), "text/javascript; charset=utf-8");
        assert_eq!(body(packed).await, "packed");
        assert_eq!(body(get("/assets/app-1a2b.js", &[("accept-encoding", "gzip;q=0")])).await, "script");
        let icon = get("/icon.svg", &[("accept-encoding", "gzip")]);
        assert_eq!(
            (value(&icon, "content-encoding"), value(&icon, "cache-control")),
            ("".into(), "no-cache".into())
        );
    }

    #[tokio::test]
    async fn what_a_browser_has_is_not_sent_again() {
        let known = get("/icon.svg", &[("if-none-match", "\"3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c\"")]);
        assert_eq!(known.as_ref().map(Response::status), Some(StatusCode::NOT_MODIFIED));
        assert_eq!(body(known).await, "");
        let other = get("/icon.svg", &[("if-none-match", "\"00\"")]);
        assert_eq!(other.map(|response| response.status()), Some(StatusCode::OK));
    }

    #[tokio::test]
    async fn whatever_is_shown_is_guarded() {
        let none = |_: &str| None;
        let unbuilt = answer(&none, &Method::GET, "/", &head(&[HTML]));
        for response in [get("/", &[HTML]), get("/assets/app-1a2b.js", &[]), unbuilt] {
            let policy = value(&response, "content-security-policy");
            assert!(
                policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"),
                "{policy}"
            );
            assert!(!policy.contains("unsafe"), "{policy}");
            assert_eq!(value(&response, "x-content-type-options"), "nosniff");
            assert_eq!(value(&response, "referrer-policy"), "no-referrer");
        }
    }

    #[tokio::test]
    async fn without_its_files_it_says_how_to_build_them() {
        let none = |_: &str| None;
        let page = answer(&none, &Method::GET, "/quotas", &head(&[HTML]));
        assert_eq!(value(&page, "content-type"), "text/html; charset=utf-8");
        let text = body(page).await;
        assert!(text.contains("make console"), "{text}");
        assert!(answer(&none, &Method::GET, "/quotas", &head(&[])).is_none());
    }
}
