//! The stable codes of problems, one page each in `docs/problems`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $word:literal, $status:literal, $title:literal, $hint:literal;)+) => {
        /// A stable word for programs. Each has a page that says what it means and what to do.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
        pub enum Code { $($(#[$doc])* #[serde(rename = $word)] $variant),+ }

        impl Code {
            pub const ALL: &'static [Code] = &[$(Code::$variant),+];

            pub fn word(self) -> &'static str {
                match self { $(Code::$variant => $word),+ }
            }

            /// The HTTP status that it is answered with.
            pub fn status(self) -> u16 {
                match self { $(Code::$variant => $status),+ }
            }

            pub fn title(self) -> &'static str {
                match self { $(Code::$variant => $title),+ }
            }

            /// What to do, where the case at hand has no better advice.
            pub fn hint(self) -> &'static str {
                match self { $(Code::$variant => $hint),+ }
            }

            pub fn parse(word: &str) -> Option<Code> {
                match word { $($word => Some(Code::$variant),)+ _ => None }
            }
        }
    };
}

codes! {
    // The request itself.
    MalformedBody = "malformed-body", 400, "The body cannot be read",
        "send one well-formed JSON document, or YAML where it is accepted";
    BadParameter = "bad-parameter", 400, "A parameter or header is invalid",
        "look up the parameters of this route in the OpenAPI document";
    Unauthenticated = "unauthenticated", 401, "No valid credential",
        "send `Authorization: Bearer TOKEN`; the administrator's token is in the data directory";
    BadCredentials = "bad-credentials", 401, "Nobody is known by these credentials",
        "check name and password, or ask an administrator for an invitation";
    Denied = "denied", 403, "The caller may not do this",
        "ask somebody who may: the detail says what is missing";
    CrossSite = "cross-site", 403, "The request does not show that it comes from the console",
        "send `X-Tidegate-Csrf: 1` from a page of this server, or use a token instead of a cookie";
    MethodNotAllowed = "method-not-allowed", 405, "The route does not have this method",
        "look up the methods of this route in the OpenAPI document";
    RequestTimeout = "request-timeout", 408, "The request took too long to arrive",
        "send the whole request at once, and retry with the same Idempotency-Key";
    BodyTooLarge = "body-too-large", 413, "The body is too large",
        "split it into several requests";
    UnsupportedMediaType = "unsupported-media-type", 415, "The body has the wrong media type",
        "send Content-Type: application/json";
    Invalid = "invalid", 422, "A field is invalid",
        "mend the fields that the pointers name";
    UnknownReference = "unknown-reference", 422, "The request names something that does not exist",
        "list what there is, and name one of those";
    NoPrice = "no-price", 422, "Something that was used has no price",
        "set a price for it; what is free has the price 0";
    WorkspaceRequired = "workspace-required", 422, "The request must say which workspace it is for",
        "say which: with --workspace, in spec.workspace, or with ?workspace=";
    UnknownKind = "unknown-kind", 422, "A manifest has an unknown kind or version",
        "use apiVersion tidegate.dev/v1 and one of the kinds that the detail lists";
    ImmutableField = "immutable-field", 422, "The field cannot be changed",
        "delete it and create it anew, or leave the field as it is";

    // What there is.
    NotFound = "not-found", 404, "There is no such thing",
        "list what there is";
    NameTaken = "name-taken", 409, "The name is taken",
        "choose another name";
    WrongState = "wrong-state", 409, "It is not in a state that allows this",
        "look at its present state";
    NothingToChange = "nothing-to-change", 409, "Nothing would change",
        "state another target";
    VersionRequired = "version-required", 428, "The change needs If-Match",
        "read it, and send its version in If-Match";
    StaleVersion = "stale-version", 412, "It has changed since it was read",
        "read it again, look at what changed, and repeat the change with the new version";
    Expired = "expired", 410, "The events asked for are no longer kept",
        "read the present state, then watch from now on";
    IdempotencyMismatch = "idempotency-mismatch", 422, "The Idempotency-Key was used for another request",
        "use a new key for a new request";

    // The rules of the ledger.
    BadName = "bad-name", 422, "It is not a name",
        "use 1 to 63 letters, digits, '-', '_' or '.', starting with a letter or digit";
    LimitExceeded = "limit-exceeded", 422, "A limit is exceeded",
        "ask for less, or split it";
    BadAmount = "bad-amount", 422, "An amount is invalid",
        "state a positive amount within bounds";
    BadPolicy = "bad-policy", 422, "A preemption policy is invalid",
        "name priorities and modules, every low priority below every high one";
    BadMinimum = "bad-minimum", 422, "The minimum of replicas is invalid",
        "choose a minimum between 1 and the number of replicas";
    IdleNotTraining = "idle-not-training", 422, "Only training uses idle capacity",
        "leave idle out, or submit it as training";
    WrongDimensions = "wrong-dimensions", 422, "The guarantee states other dimensions than its root",
        "state exactly the dimensions that the root states";
    NotSiblings = "not-siblings", 422, "The two quotas have different parents",
        "transfer between children of one parent; scale otherwise";
    NotResizable = "not-resizable", 422, "It cannot be resized",
        "stop it and submit it with the size that you want";
    NeverFits = "never-fits", 422, "It can never run",
        "ask for less, use a larger quota, or have capacity added";
    ShareTooSmall = "share-too-small", 409, "Not enough is left to give",
        "ask for less, or scale up what it is taken from";
    BelowChildren = "below-children", 409, "The children are guaranteed more",
        "scale the children down first";
    InUse = "in-use", 409, "Workloads are in the way",
        "stop them, or use mode drain or evict; a dry run shows who would leave";
    QuotaNotEmpty = "quota-not-empty", 409, "The quota is not empty",
        "delete its children and stop its workloads first";
    WorkspaceNotEmpty = "workspace-not-empty", 409, "The workspace is still used",
        "stop the workloads that the detail names, then try again";
    NodeNeeded = "node-needed", 409, "The node is needed",
        "drain it, and scale a root quota down first";

    PolicyForbids = "policy-forbids", 422, "The scheduling center of the workspace forbids it",
        "`tidegate workspace policy show` shows what is allowed";

    TooManyTasks = "too-many-tasks", 429, "Too many tasks of the workspace wait on shared compute",
        "wait as long as Retry-After says until some have begun, or use compute of your own";
    BudgetExhausted = "budget-exhausted", 402, "The workspace has spent its budget of this month",
        "wait for the next month, ask a platform administrator for more, or use compute of your own";
    NoSharedCompute = "no-shared-compute", 422, "There is no shared compute",
        "a platform administrator marks a quota: `tidegate quota set NAME --queue fair --shared true`";

    // Dedicated compute.
    NoDedicatedCompute = "no-dedicated-compute", 422, "There is no dedicated compute",
        "a platform administrator marks a quota: `tidegate quota set NAME --dedicated true`";
    DedicatedQuota = "dedicated-quota", 409, "The quota is for dedicated compute",
        "`tidegate resource-config` asks for dedicated compute, and changes it";
    SupplyBooked = "supply-booked", 409, "The supply of dedicated compute is booked",
        "ask for the time that the detail names, for less, or have the supply scaled up";
    ConfigNotActive = "config-not-active", 409, "The resource config has not begun, or is over",
        "`tidegate resource-config show ID` shows its periods; `default` is shared compute";
    ConfigFull = "config-full", 429, "The resource configs are used up to their caps",
        "wait until some tasks have ended, or add `default` to the list to overflow to shared compute";

    // Logging in.
    TooManyAttempts = "too-many-attempts", 429, "Too many log-ins failed",
        "wait as long as Retry-After says; an administrator can invite you to choose a new password";
    ProviderFailed = "provider-failed", 502, "The provider of identities did not answer as it should",
        "try again; if it stays so, an administrator compares [oidc] in the configuration with the provider's";

    // Simulations.
    BadScenario = "bad-scenario", 422, "The scenario cannot be read",
        "mend the line that the detail names; the scenario language has a page of its own";

    // Notebooks and services that are reached through the server.
    NoneReady = "none-ready", 503, "Nobody can take the request now",
        "wait as long as Retry-After says; `tidegate show NAME` says what is not ready, and since when";
    UpstreamFailed = "upstream-failed", 502, "The program did not answer as it should",
        "look at what it wrote: `tidegate logs NAME`";
    UpstreamTimeout = "upstream-timeout", 504, "The program took too long to answer",
        "look at what it wrote: `tidegate logs NAME`";

    // The server.
    QueueFull = "queue-full", 429, "Too many requests are waiting",
        "wait as long as Retry-After says, and repeat the request";
    TooManyWatchers = "too-many-watchers", 503, "Too many watchers",
        "close watches that are not needed, or wait as long as Retry-After says";
    NotReady = "not-ready", 503, "The server is starting or stopping",
        "wait as long as Retry-After says, and repeat the request";
    StoreFailing = "store-failing", 503, "The store does not take writes",
        "look at the server's log; reads go on, and nothing that was acknowledged is lost";
    StorageFull = "storage-full", 503, "The disk is full",
        "free space on the disk of the data directory; the server then goes on by itself";
    ClockBackwards = "clock-backwards", 503, "The server's clock went back",
        "set the clock of the server right";
    Internal = "internal", 500, "Something is wrong in the server",
        "look at the server's log, and report it with the request's id";
}

impl Code {
    /// Whether to repeat the request after a while is worth it.
    pub fn is_temporary(self) -> bool {
        matches!(self.status(), 429 | 503 | 408)
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word())
    }
}
