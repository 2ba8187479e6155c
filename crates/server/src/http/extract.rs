//! Bodies and parameters, read with errors that say what is wrong and where.

use super::app::App;
use super::problem::Refused;
use axum::body::{Bytes, HttpBody};
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use tidegate_api::body::{self, Check};
use tidegate_api::limits::MAX_BODY;
use tidegate_api::manifest::Format;
use tidegate_api::name::Name;
use tidegate_api::problem::{Code, Problem};

/// A body of JSON, and its bytes as they were sent.
#[derive(Debug)]
pub struct Json<T> {
    pub value: T,
    pub sent: Bytes,
}

impl<T: DeserializeOwned + Check> FromRequest<App> for Json<T> {
    type Rejection = Refused;

    async fn from_request(request: Request, app: &App) -> Result<Json<T>, Refused> {
        if format(&request)? != Format::Json {
            return Err(wrong_type("application/yaml", "application/json"));
        }
        let sent = bytes(request, app).await?;
        Ok(Json { value: body::read(&sent)?, sent })
    }
}

/// As `Json`, but nothing at all is fine, too.
#[derive(Debug)]
pub struct MaybeJson<T> {
    pub value: T,
    pub sent: Bytes,
}

impl<T: DeserializeOwned + Check + Default> FromRequest<App> for MaybeJson<T> {
    type Rejection = Refused;

    async fn from_request(request: Request, app: &App) -> Result<MaybeJson<T>, Refused> {
        if !request.headers().contains_key(CONTENT_TYPE) {
            let sent = bytes(request, app).await?;
            let value = if sent.is_empty() { T::default() } else { body::read(&sent)? };
            return Ok(MaybeJson { value, sent });
        }
        let Json { value, sent } = Json::from_request(request, app).await?;
        Ok(MaybeJson { value, sent })
    }
}

/// A body of manifests.
#[derive(Debug)]
pub struct Manifests {
    pub format: Format,
    pub sent: Bytes,
}

impl FromRequest<App> for Manifests {
    type Rejection = Refused;

    async fn from_request(request: Request, app: &App) -> Result<Manifests, Refused> {
        Ok(Manifests { format: format(&request)?, sent: bytes(request, app).await? })
    }
}

/// How the body is written; JSON if nothing is said.
fn format(request: &Request) -> Result<Format, Refused> {
    let Some(given) = request.headers().get(CONTENT_TYPE) else { return Ok(Format::Json) };
    let given = given.to_str().unwrap_or("?");
    match given.split(';').next().unwrap_or_default().trim() {
        "application/json" => Ok(Format::Json),
        "application/yaml" | "application/x-yaml" | "text/yaml" => Ok(Format::Yaml),
        other => Err(wrong_type(other, "application/json")),
    }
}

fn wrong_type(given: &str, wanted: &str) -> Refused {
    let detail = format!("the body is {given}, {wanted} is wanted");
    Refused(Problem::new(Code::UnsupportedMediaType, detail))
}

async fn bytes(request: Request, app: &App) -> Result<Bytes, Refused> {
    let too_large = || {
        let detail = format!("the body is larger than {MAX_BODY} bytes");
        Refused(Problem::new(Code::BodyTooLarge, detail))
    };
    // A client that announces too much is told before it sends it.
    if request.body().size_hint().lower() > MAX_BODY as u64 {
        return Err(too_large());
    }
    let within = app.limits.body;
    let reading = axum::body::to_bytes(request.into_body(), MAX_BODY);
    match tokio::time::timeout(within, reading).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(error)) => {
            let mut cause: Option<&dyn std::error::Error> = Some(&error);
            while let Some(inner) = cause {
                if inner.to_string().contains("length limit exceeded") {
                    return Err(too_large());
                }
                cause = inner.source();
            }
            Err(Refused(Problem::new(Code::MalformedBody, format!("the body broke off: {error}"))))
        }
        Err(_) => {
            let detail = format!("the body did not arrive within {} seconds", within.as_secs_f32());
            Err(Refused(Problem::new(Code::RequestTimeout, detail)))
        }
    }
}

/// Parameters after the question mark.
#[derive(Debug)]
pub struct Params<T>(pub T);

impl<T: DeserializeOwned> FromRequestParts<App> for Params<T> {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Params<T>, Refused> {
        let query = Query::<T>::from_request_parts(parts, app).await;
        let detail = |error: &dyn std::error::Error| {
            error.source().map_or_else(|| error.to_string(), |inner| inner.to_string())
        };
        query
            .map(|Query(value)| Params(value))
            .map_err(|error| Refused(Problem::new(Code::BadParameter, detail(&error))))
    }
}

/// Whether a body is about what its path names; `at` points to the name in the body.
pub fn is_about(given: &Name, path: &str, at: &str) -> Result<(), Problem> {
    if given.as_str() == path {
        return Ok(());
    }
    let detail = format!("the body is about {given}, the path about {path}");
    Err(Problem::new(Code::Invalid, detail).at(at))
}

/// The name within a path.
#[derive(Debug)]
pub struct Named(pub String);

impl FromRequestParts<App> for Named {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Named, Refused> {
        let path = Path::<String>::from_request_parts(parts, app).await;
        path.map(|Path(name)| Named(name))
            .map_err(|error| Refused(Problem::new(Code::BadParameter, error.body_text())))
    }
}

/// The two names within a path: a workspace and something of it.
#[derive(Debug)]
pub struct Pair(pub String, pub String);

impl FromRequestParts<App> for Pair {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Pair, Refused> {
        let path = Path::<(String, String)>::from_request_parts(parts, app).await;
        path.map(|Path((room, name))| Pair(room, name))
            .map_err(|error| Refused(Problem::new(Code::BadParameter, error.body_text())))
    }
}
