//! Every bound of the wire, with its reason. Whatever exceeds one is refused with the figures.

use tidegate_engine::ids::Span;
pub use tidegate_engine::resources::MAX_DEVICES;
pub use tidegate_engine::workload::{MAX_NAME, MAX_REPLICAS, MAX_ROLES};

/// Bytes of a request's body. A batch of 1,000 plain workloads is about 300 KiB.
pub const MAX_BODY: usize = 1 << 20;
/// Levels of nesting in a body. The deepest resource has six; parsers recurse.
pub const MAX_NESTING: usize = 32;
/// Workloads of one batch. One batch is one turn of the writer, so it bounds how long others wait.
pub const MAX_BATCH: usize = 1_000;
/// Manifests of one `apply`, for the same reason.
pub const MAX_MANIFESTS: usize = 1_000;

/// Items of a page when the reader does not say.
pub const DEFAULT_PAGE: u32 = 100;
/// Items of a page at most: a page is built while the world is locked for reading.
pub const MAX_PAGE: u32 = 1_000;
/// Characters of a page token. Ours have under 100; a longer one is not ours.
pub const MAX_PAGE_TOKEN: usize = 256;

/// Labels of one resource: they are kept in memory for every workload.
pub const MAX_LABELS: usize = 32;
/// Characters of a label's key.
pub const MAX_LABEL_KEY: usize = 63;
/// Characters of a label's value.
pub const MAX_LABEL_VALUE: usize = 253;

/// Environment variables of one workload.
pub const MAX_ENV: usize = 256;
/// Bytes of all names and values of the environment. The kernel gives a process 128 KiB per string, and a page of
/// workloads carries the environment of each.
pub const MAX_ENV_BYTES: usize = 64 << 10;
/// Arguments of a command, the program included.
pub const MAX_ARGS: usize = 1_024;
/// Bytes of all arguments: the kernel's bound on a single one.
pub const MAX_ARGS_BYTES: usize = 128 << 10;
/// Bytes of a path, as the kernel has it (`PATH_MAX`).
pub const MAX_PATH: usize = 4_096;
/// Nodes that a workload may name. Longer lists are better said by a pool.
pub const MAX_NAMED_NODES: usize = 1_024;
/// GPU models that a workload or a guarantee may name: as many as a pool may have.
pub const MAX_NAMED_MODELS: usize = tidegate_engine::resources::MAX_MODELS;
/// Restarts after failures that may be asked for: beyond this, something is broken.
pub const MAX_RESTARTS: u32 = 10_000;

/// Bytes of the path that readiness is asked at.
pub const MAX_READY_PATH: usize = 1_024;
/// Shortest time between two looks at a replica's readiness: a look costs it a request.
pub const MIN_READY_PERIOD: Span = Span(100);
/// Longest time between two looks: a replica that fell silent gets requests for so long.
pub const MAX_READY_PERIOD: Span = Span::hours(1);
/// Longest wait for the answer to a look: nobody else is asked from that slot meanwhile.
pub const MAX_READY_TIMEOUT: Span = Span::seconds(60);
/// Shortest time after which a notebook that nobody uses is stopped.
pub const MIN_IDLE_TIMEOUT: Span = Span::seconds(1);

/// Characters of a description.
pub const MAX_DESCRIPTION: usize = 1_024;
/// Quotas that one workspace may use.
pub const MAX_ATTACHED: usize = 1_024;
/// Limits of each kind in one policy. The engine asks each at every admission.
pub const MAX_LIMITS: usize = tidegate_engine::caps::MAX_CAPS;
/// Members of one policy whose notebooks are left alone.
pub const MAX_EXEMPT: usize = 1_000;
/// Sizes of one policy. People choose from them.
pub const MAX_PRESETS: usize = 100;
/// Shortest idleness after which a notebook is stopped: with fewer looks, a pause for thought would be idleness.
pub const MIN_IDLE: Span = Span::minutes(1);
/// Workspaces: each is looked at when somebody lists them.
pub const MAX_WORKSPACES: usize = 10_000;
/// Users and service accounts, disabled ones included.
pub const MAX_USERS: usize = 100_000;
/// Tokens of one user, sessions of browsers not counted.
pub const MAX_TOKENS: usize = 100;
/// Actions in one list: there are fewer.
pub const MAX_ACTIONS: usize = 64;
/// Characters of a password: shorter ones are guessed.
pub const MIN_PASSWORD: usize = 12;
/// Characters of a password: hashing more is work that others can cause.
pub const MAX_PASSWORD: usize = 1_024;
/// Characters of a secret, or of a name that somebody logs in with: ours are shorter.
pub const MAX_SECRET: usize = 1_024;
/// Sessions of one user: above that, the oldest ends.
pub const MAX_SESSIONS: usize = 50;
/// How long a browser stays logged in.
pub const SESSION_TIME: Span = Span::hours(12);
/// How long an invitation can be followed.
pub const INVITATION_TIME: Span = Span::hours(7 * 24);
/// Bytes of what a provider of identities calls somebody, and of its own name: as its protocol says.
pub const MAX_SUBJECT: usize = 255;
/// How long a token is good if nobody says.
pub const DEFAULT_TOKEN_TIME: Span = Span::hours(90 * 24);
/// How long a token may be good.
pub const MAX_TOKEN_TIME: Span = Span::hours(366 * 24);

/// Webhooks of one workspace: every event is sent to each.
pub const MAX_WEBHOOKS: usize = 16;
/// Bytes of a webhook's address.
pub const MAX_URL: usize = 2_048;

/// Templates of one workspace, or of the platform.
pub const MAX_TEMPLATES: usize = 1_000;
/// Versions of one template: all of them are in memory, and in the log with every change.
pub const MAX_TEMPLATE_VERSIONS: usize = 100;
/// Bytes of a template with all its versions, for the same reason.
pub const MAX_TEMPLATE: usize = 1 << 20;
/// Aliases of one template.
pub const MAX_ALIASES: usize = 32;
/// Characters of a template's name with its version.
pub const MAX_TEMPLATE_NAME: usize = 127;
/// Times that a task is tried again: beyond this, something is broken.
pub const MAX_RETRIES: u32 = 100;
/// Bytes of the inputs of a task: they are kept in memory with it. More is handed over by name.
pub const MAX_INPUTS: usize = 64 << 10;
/// Bytes that a task may answer as JSON if its template does not say, and at most: an answer carries all of it.
pub const DEFAULT_TASK_OUTPUT: u64 = 1 << 20;
pub const MAX_TASK_OUTPUT: u64 = 8 << 20;
/// Bytes of the files that a task may leave if its template does not say, and at most.
pub const DEFAULT_TASK_FILES: u64 = 64 << 20;
pub const MAX_TASK_FILES: u64 = 1 << 40;
/// Warm workers of a template that wait in one workspace: each is a process.
pub const MAX_WARM_WORKERS: u32 = 64;
/// How long a warm worker waits for another task if its template does not say, and at most.
pub const DEFAULT_WARM_IDLE: Span = Span::minutes(5);
pub const MAX_WARM_IDLE: Span = Span::hours(24);
/// How long a warm worker may take until it is ready if its template does not say, and at most.
pub const DEFAULT_WARM_START: Span = Span::minutes(10);
pub const MAX_WARM_START: Span = Span::hours(24);
/// Time between a task's being asked to stop and its being killed: who cancels waits for it.
pub const TASK_GRACE: Span = Span::seconds(5);
/// Longest time that a request waits for the end of a task: under the usual limit of proxies.
pub const MAX_TASK_WAIT: Span = Span::seconds(60);

/// Groups of equal nodes in one pool's specification.
pub const MAX_NODE_GROUPS: usize = 64;
/// Nodes that one request may add: each is an event of the log.
pub const MAX_NODES_AT_ONCE: u32 = 10_000;
/// Characters of a reason that somebody gives.
pub const MAX_REASON: usize = 253;

/// Longest duration: a hundred years, so that sums of them stay far from overflow.
pub const MAX_DURATION: Span = Span(100 * 365 * 24 * 3_600 * 1_000);
/// The grace period of who asks for none.
pub const DEFAULT_GRACE: Span = Span::seconds(30);
/// Longest grace period: a victim that takes longer keeps others from what is theirs.
pub const MAX_GRACE: Span = Span::hours(24);
/// GPUs or cores that may be written: a billion. A double then holds every thousandth, and its shortest form is the
/// decimal itself.
pub const MAX_WHOLE: i64 = 1_000_000_000;
/// Characters of a number with a unit, such as `1h30m` or `16Gi`.
pub const MAX_FIGURE: usize = 32;

/// Watchers that a server serves at one time; the file limit is raised to fit, and leaves room for other requests.
pub const MAX_WATCHERS: usize = 12_000;
/// Events that a watcher may lag behind before it is cut off. It resumes by `Last-Event-ID`.
pub const WATCH_BUFFER: usize = 4_096;
/// Time between two heartbeats of a watch: under the usual idle limit of proxies.
pub const WATCH_HEARTBEAT: Span = Span::seconds(15);
/// Bytes of output in one piece.
pub const MAX_OUTPUT: usize = 64 << 10;
/// Bytes of a line that are held back until its end comes, where lines of several replicas are put together.
pub const MAX_HELD_LINE: usize = 64 << 10;
/// How long such a line is waited for.
pub const HELD_LINE_TIME: Span = Span::seconds(1);
/// Replicas of a workload that are followed at once: each holds a file open.
pub const MAX_FOLLOWED: usize = 512;
/// Names in one filter of a watch or a list.
pub const MAX_FILTER: usize = 64;

/// Bytes of a scenario.
pub const MAX_SCENARIO: usize = 256 << 10;
/// Lines of a scenario.
pub const MAX_SCENARIO_LINES: usize = 10_000;
/// Events of a simulation: one that goes on longer is cut off with an error.
pub const MAX_SIMULATION_EVENTS: usize = 100_000;
/// Virtual time that a simulation may cover.
pub const MAX_SIMULATION_TIME: Span = Span::hours(10 * 365 * 24);
/// Simulations that run at one time, outside the writer.
pub const MAX_SIMULATIONS: usize = 2;

/// Points of one series: more than any screen shows.
pub const MAX_POINTS: u64 = 2_000;
/// Smallest step of a series.
pub const MIN_STEP: Span = Span::seconds(1);

/// Characters of an `Idempotency-Key`.
pub const MAX_IDEMPOTENCY_KEY: usize = 255;
/// How long a receipt is kept, at least.
pub const RECEIPT_TIME: Span = Span::hours(24);

/// Names that an explanation lists; further ones are counted.
pub const MAX_AHEAD: usize = 100;
/// Pointers in one problem; the first ones are enough to mend the rest.
pub const MAX_POINTERS: usize = 32;

/// Parts that a period is cut into when use is added up.
pub const MAX_PARTS: u64 = 1_000;
/// Records that a statement lists with its lines; further ones are read page by page.
/// Tasks that are replayed for advice: each is replayed some ten times, in about a second for all.
pub const MAX_ADVISED_TASKS: usize = 20_000;
/// Weeks that advice looks back.
pub const MAX_ADVISED_WEEKS: u32 = 12;
pub const MAX_BILL_RECORDS: usize = 10_000;
/// Corrections of what was metered: they are all in memory.
pub const MAX_CORRECTIONS: usize = 100_000;
pub const MAX_PRICE_BOOKS: usize = 100;
/// Versions of one price book: daily prices for two years.
pub const MAX_PRICE_VERSIONS: usize = 1_000;
/// Resource requests that are kept: they are all in memory, with what came of them.
pub const MAX_RESOURCE_REQUESTS: usize = 100_000;
/// Resource requests of one workspace that nobody has decided yet: somebody has to read them.
pub const MAX_PENDING_REQUESTS: usize = 100;
/// Shortest time that compute is reserved for.
pub const MIN_PERIOD: Span = Span::seconds(1);
/// How far ahead compute is reserved: five years.
pub const MAX_BOOKING_AHEAD: Span = Span::hours(5 * 366 * 24);
/// Largest cap of a resource config, in percent: above 100 tasks wait in its queue.
pub const MAX_CAP: u32 = 1_000;
/// Longest waits and cool-downs of compute by usage.
pub const MAX_COOL_DOWN: Span = Span::hours(24);
/// Shortest cool-down: capacity that comes and goes faster is no capacity.
pub const MIN_COOL_DOWN: Span = Span::seconds(1);

/// Characters of a currency's code.
pub const MAX_CURRENCY: usize = 16;
/// GPU models that one tariff has prices of.
pub const MAX_PRICED_MODELS: usize = 256;
