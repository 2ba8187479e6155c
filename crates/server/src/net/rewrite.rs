//! `POST /quotas/A:scale` is routed as `/quotas/A/-scale`: the router knows whole segments only.

use axum::extract::Request;
use axum::http::Uri;
use axum::http::uri::PathAndQuery;

/// Turns a verb at the end of the path into a segment of its own.
pub fn split_verb<B>(mut request: Request<B>) -> Request<B> {
    if let Some(uri) = split(request.uri()) {
        *request.uri_mut() = uri;
    }
    request
}

fn split(uri: &Uri) -> Option<Uri> {
    let path = uri.path();
    let (before, verb) = path.rsplit_once(':')?;
    if verb.is_empty() || verb.contains('/') || !path.starts_with("/api/") {
        return None;
    }
    let query = uri.query().map_or(String::new(), |query| format!("?{query}"));
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(format!("{before}/-{verb}{query}")).ok()?);
    Uri::from_parts(parts).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(from: &str, to: Option<&str>) {
        let uri: Uri = from.parse().expect("a uri");
        assert_eq!(split(&uri).map(|uri| uri.to_string()).as_deref(), to, "{from}");
    }

    #[test]
    fn a_verb_becomes_a_segment() {
        check("/api/v1/quotas/A:scale", Some("/api/v1/quotas/A/-scale"));
        check("/api/v1/quotas:tree?x=1", Some("/api/v1/quotas/-tree?x=1"));
        check("/api/v1/quotas/A", None);
        check("/api/v1/a:b/c", None);
        check("/api/v1/quotas/A:", None);
        check("/metrics:x", None);
    }
}
