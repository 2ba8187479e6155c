//! Notebooks and services, reached through the server: a listener of its own, and so an origin of its own.
//!
//! | where | what |
//! |---|---|
//! | here | who may, and where a request goes |
//! | `path`, `headers` | what a request asks for, and what of it is passed on |
//! | `sessions` | links that let a browser in, and what follows from them |
//! | `directory`, `site`, `replica` | who can be reached; who has the next request |
//! | `readiness` | whether a replica can be sent requests |
//! | `proxy`, `upstream`, `tunnel` | the way there and back |
//! | `answer` | what the server itself answers |
//! | `unused` | notebooks that nobody uses are stopped |
//! | `shown` | what people are shown of it |
//! | `limits` | every bound |
//!
//! **Invariant:** whoever may not use a workload is answered as if it were not there.
//!
//! **Invariant:** a replica gets nothing new once it was decided that it leaves: the directory hears of it before the
//! process does.
//!
//! **Invariant:** a program never sees what would let it act for its caller.

mod answer;
mod directory;
mod headers;
pub mod limits;
mod path;
mod proxy;
mod readiness;
mod replica;
mod sessions;
mod shown;
mod site;
mod tunnel;
mod unused;
mod upstream;

pub use answer::Answer;
pub use headers::SESSION as SESSION_COOKIE;
pub use sessions::{SESSION_TIME, TICKET_TIME};

use crate::core::control::Control;
use crate::core::rooms::Ownership;
use crate::http::auth::Caller;
use crate::token::{self, TokenHash};
use axum::http::{HeaderMap, Method, Request, Response};
use directory::Directory;
use hyper::body::Incoming;
use limits::AppsLimits;
use readiness::Looks;
use sessions::Sessions;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, RwLock};
use tidegate_api::problem::{Code, Problem};
use tidegate_engine::ids::{MemberId, Tick, WorkloadId};
use tidegate_executor::local::Endpoints;
use tidegate_identity::record::TokenKind;
use tidegate_identity::{Action, Who, may};
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, watch};

/// Where links lead: no workspace has such a name.
const OPEN: &str = "/-/open";

/// All that passes requests on. Cheap to clone: one for every connection.
#[derive(Clone, Debug)]
pub struct Apps(Arc<Parts>);

#[derive(Debug)]
pub struct Parts {
    control: Control,
    admin: TokenHash,
    directory: Directory,
    sessions: RwLock<Sessions>,
    tunnels: Arc<Semaphore>,
    closing: watch::Sender<bool>,
    pub limits: AppsLimits,
    /// What addresses begin with, without a slash at the end.
    pub base: String,
    is_secure: bool,
    is_fronted: bool,
}

/// How the listener stands in the world.
#[derive(Clone, Debug)]
pub struct Stand {
    pub base: String,
    /// Callers come by TLS.
    pub is_secure: bool,
    /// Something that does TLS stands before it.
    pub is_fronted: bool,
}

impl std::ops::Deref for Apps {
    type Target = Parts;
    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl Apps {
    /// To be called on a runtime: it looks at replicas.
    pub fn new(control: Control, admin: TokenHash, limits: AppsLimits, stand: Stand) -> Apps {
        let directory = Directory::new(control.clone(), Looks::on(Handle::current()));
        let tunnels = Arc::new(Semaphore::new(limits.tunnels));
        Apps(Arc::new(Parts {
            control,
            admin,
            directory,
            sessions: RwLock::default(),
            tunnels,
            closing: watch::Sender::new(false),
            limits,
            base: stand.base,
            is_secure: stand.is_secure,
            is_fronted: stand.is_fronted,
        }))
    }

    /// Hears of everybody who can be reached, from now on.
    pub fn follow(&self, endpoints: &Endpoints) {
        let apps = Arc::downgrade(&self.0);
        endpoints.listen(Box::new(move |place, endpoint| {
            if let Some(apps) = apps.upgrade() {
                apps.directory.take(place, endpoint);
            }
        }));
    }

    /// Lets connections end that would go on for ever.
    pub fn close(&self) {
        self.closing.send_replace(true);
        self.directory.all().iter().flat_map(|site| site.replicas()).for_each(|replica| replica.retire());
    }

    /// A link that lets a browser in, and when it expires.
    pub fn invite(&self, workload: WorkloadId, user: MemberId) -> io::Result<(String, Tick)> {
        let secret = token::secret()?;
        let until =
            self.sessions.write().expect("nobody panics here").invite(&secret, workload, user, self.now());
        Ok((format!("{}{OPEN}?ticket={secret}", self.base), until))
    }

    async fn answer(&self, request: Request<Incoming>, peer: SocketAddr) -> Response<Answer> {
        let is_browser = answer::is_browser(request.headers());
        let answered = self.route(request, peer).await;
        answered.unwrap_or_else(|problem| answer::problem(&problem, is_browser))
    }

    async fn route(&self, request: Request<Incoming>, peer: SocketAddr) -> Result<Response<Answer>, Problem> {
        let path = request.uri().path();
        if path == OPEN {
            return self.open(request.method(), request.uri().query().unwrap_or_default()).await;
        }
        let target = path::target(path).ok_or_else(answer::nowhere)?;
        let Some(site) = self.directory.find(target.key) else {
            return Err(self.absent(target, request.headers()).await);
        };
        if !self.may(request.headers(), site.about.id, site.about.of) {
            return Err(answer::nowhere());
        }
        if target.rest.is_empty() && matches!(*request.method(), Method::GET | Method::HEAD) {
            // Links of a page are relative to its path.
            let query = request.uri().query().map_or(String::new(), |query| format!("?{query}"));
            return Ok(answer::redirect(&format!("{}/{query}", site.prefix()), None));
        }
        proxy::pass_on(self, site, request, peer).await
    }

    /// Somebody follows a link.
    async fn open(&self, method: &Method, query: &str) -> Result<Response<Answer>, Problem> {
        if *method != Method::GET {
            return Err(Problem::new(Code::MethodNotAllowed, "a link is followed with GET"));
        }
        let given = query.split('&').find_map(|pair| pair.strip_prefix("ticket="));
        let secret = token::secret().map_err(|error| Problem::new(Code::Internal, error.to_string()))?;
        let now = self.now();
        let followed = {
            let mut sessions = self.sessions.write().expect("nobody panics here");
            given.and_then(|ticket| sessions.follow(ticket, now))
        };
        let (workload, user) = followed.ok_or_else(answer::nowhere)?;
        let key = self.control.read_blocking(|world| {
            world.engine.workload(workload).filter(|w| !w.state.is_ended())?;
            directory::key_of(world, workload)
        });
        let path = format!("/{}", key.ok_or_else(answer::nowhere)?);
        self.sessions.write().expect("nobody panics here").begin(&secret, workload, user, now);
        let secure = if self.is_secure { "; Secure" } else { "" };
        let seconds = SESSION_TIME.0 / 1_000;
        let cookie = format!(
            "{}={secret}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}",
            headers::SESSION
        );
        Ok(answer::redirect(&format!("{path}/"), Some(&cookie)))
    }

    /// Whether whoever sent these headers may use a workload: by a token, or because it was let in and still may.
    fn may(&self, headers: &HeaderMap, workload: WorkloadId, of: Ownership) -> bool {
        let (people, now) = (self.control.people(), self.now());
        let bearer = headers::bearer(headers).and_then(|token| Caller::of(&people, &self.admin, token, now));
        let mut secrets = headers::sessions(headers).peekable();
        if bearer.is_none() && secrets.peek().is_none() {
            return false;
        }
        let may = |who: &Who| may(&people, who, Action::WorkloadOpen, of.into()).is_allowed();
        if bearer.is_some_and(|caller| may(&caller.who)) {
            return true;
        }
        let sessions = self.sessions.read().expect("nobody panics here");
        let mut users = secrets.filter_map(|secret| sessions.lets_in(secret, workload, now));
        users.any(|user| may(&Who { user, scope: None, kind: TokenKind::Session }))
    }

    /// Why nobody is at a path, for those who may know.
    async fn absent(&self, target: path::Target<'_>, headers: &HeaderMap) -> Problem {
        let found = self.control.read_blocking(|world| {
            let room = world.people.workspace_named(target.workspace())?;
            let id = world.engine.workload_named(room.id, target.name)?;
            let w = world.engine.workload(id).filter(|w| directory::can_be_reached(w.spec.module))?;
            Some((id, w.state.is_ended(), world.rooms.of(id)?))
        });
        let Some((id, is_ended, of)) = found else { return answer::nowhere() };
        if is_ended {
            self.sessions.write().expect("nobody panics here").end(id);
        }
        if !self.may(headers, id, of) {
            return answer::nowhere();
        }
        self.why_absent(id).await
    }

    /// Whether a token is one of ours, which no program is to see.
    fn is_ours(&self, token: &str) -> bool {
        token.starts_with(token::PREFIX) || TokenHash::of(token) == self.admin
    }

    fn now(&self) -> Tick {
        self.control.clock().now()
    }
}

/// Answers the requests of one connection.
#[derive(Clone, Debug)]
pub struct Visitor {
    pub apps: Apps,
    pub peer: SocketAddr,
}

impl hyper::service::Service<Request<Incoming>> for Visitor {
    type Response = Response<Answer>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Answer>, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let Visitor { apps, peer } = self.clone();
        Box::pin(async move { Ok(apps.answer(request, peer).await) })
    }
}
