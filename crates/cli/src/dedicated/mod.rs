//! `tidegate resource-config`: dedicated compute.

mod request;
mod view;

use crate::client::{Ask, Changed, Client, Query};
use crate::exit::Outcome;
use crate::follow::Listing;
use crate::output::change::ChangeOptions;
use crate::output::{Output, Printed, list, one};
use clap::{Args, Subcommand};
use request::{Request, ahead};
use tidegate_api::dedicated::{
    ConfigChange, Decision, ExtendRequest, ResourceConfig, ResourceConfigList, ResourceRequest,
    ResourceRequestList,
};
use tidegate_api::name::Name;
use tidegate_api::time::Time;
use ureq::http::Method;
use view::{config_table, config_text, request_table, request_text};

const REQUESTS: &str = "/api/v1/resource-requests";
const CONFIGS: &str = "/api/v1/resource-configs";

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Ask for dedicated compute: reserved for a time, or with --step by usage
    #[command(after_help = request::EXAMPLES)]
    Request(Box<Request>),
    /// List requests, the latest first
    #[command(after_help = "Examples:
  tidegate resource-config requests --state pending --watch
  tidegate resource-config requests --workspace team-b -o json")]
    Requests(List),
    /// Approve requests: a resource config is made of each
    #[command(after_help = "Examples:
  tidegate resource-config approve rr-7
  tidegate resource-config approve rr-7 --dry-run")]
    Approve(Decide),
    /// Decline requests, and say why
    #[command(after_help = "Examples:
  tidegate resource-config decline rr-7 --note 'after the conference there is room'")]
    Decline(Decide),
    /// Take requests back that nobody has decided yet
    #[command(after_help = "Examples:
  tidegate resource-config withdraw rr-7")]
    Withdraw {
        /// The requests' ids
        #[arg(required = true)]
        ids: Vec<String>,
        #[command(flatten)]
        options: ChangeOptions,
    },
    /// List resource configs, the latest first
    #[command(
        visible_alias = "ls",
        after_help = "Examples:
  tidegate resource-config list
  tidegate resource-config list --state active -o wide
  tidegate resource-config list --watch"
    )]
    List(List),
    /// Show a request or a resource config, with how much of it is in use
    #[command(after_help = "Examples:
  tidegate resource-config show rc-7
  tidegate resource-config show rr-7 -o yaml")]
    Show {
        /// The id of a config or of a request
        id: String,
        #[command(flatten)]
        output: Output,
    },
    /// Change whether a resource config lends what it does not use, and how full it may be
    #[command(after_help = "Examples:
  tidegate resource-config set rc-7 --lend true
  tidegate resource-config set rc-7 --cap 80 --dry-run")]
    Set {
        /// The config's id
        id: String,
        /// Whether others may use what its tasks do not, until they need it
        #[arg(long, value_name = "BOOL", required_unless_present = "cap")]
        lend: Option<bool>,
        /// Tasks are sent there until they ask for so much of it
        #[arg(long, value_name = "PERCENT")]
        cap: Option<u32>,
        #[command(flatten)]
        options: ChangeOptions,
    },
    /// Let a resource config go on for longer
    #[command(after_help = "Examples:
  tidegate resource-config extend rc-7 --end 2026-03-02T18:00:00Z
  tidegate resource-config extend rc-7 --end 2h
  tidegate resource-config extend rc-7 --last-day 2026-07-31")]
    Extend {
        /// The config's id
        id: String,
        /// When it is over instead, such as 2026-03-02T18:00:00Z, or in how long, such as 2h
        #[arg(long, value_name = "TIME", value_parser = ahead, required_unless_present = "last_day")]
        end: Option<Time>,
        /// Of what comes again every week: the last day on which it may begin instead
        #[arg(long, value_name = "DATE", conflicts_with = "end")]
        last_day: Option<String>,
        #[command(flatten)]
        options: ChangeOptions,
    },
    /// End resource configs before their time: their tasks are stopped
    #[command(after_help = "Examples:
  tidegate resource-config release rc-7 --dry-run
  tidegate resource-config release rc-7")]
    Release {
        /// The configs' ids
        #[arg(required = true)]
        ids: Vec<String>,
        #[command(flatten)]
        options: ChangeOptions,
    },
}

#[derive(Args, Debug)]
pub(crate) struct List {
    /// Only in this state: pending, approved, declined or withdrawn; of configs scheduled, active or ended
    #[arg(long)]
    state: Option<String>,
    /// Only of this workspace
    #[arg(long)]
    workspace: Option<Name>,
    #[command(flatten)]
    listing: Listing,
}

#[derive(Args, Debug)]
pub(crate) struct Decide {
    /// The requests' ids
    #[arg(required = true)]
    ids: Vec<String>,
    /// For whoever asked
    #[arg(long)]
    note: Option<String>,
    #[command(flatten)]
    options: ChangeOptions,
}

impl Printed for ResourceRequest {
    fn name(&self) -> String {
        self.id.clone()
    }
}

impl Printed for ResourceConfig {
    fn name(&self) -> String {
        self.id.clone()
    }
}

impl List {
    fn query(&self) -> Query {
        let mut query = Query::new();
        query.extend(self.state.iter().map(|state| ("state", state.clone())));
        query.extend(self.workspace.iter().map(|name| ("workspace", name.to_string())));
        query
    }

    fn requests(self, client: &Client) -> Outcome {
        self.listing.print(client, "resource-request", |format| {
            let requests = client.all::<ResourceRequestList>(REQUESTS, &self.query())?;
            if requests.is_empty() {
                self.listing.none("there are no requests; `tidegate resource-config request` makes one");
            }
            list(format, &requests, |wide| request_table(&requests, wide))
        })
    }

    /// Tasks that come and go change how much of it is in use.
    fn configs(self, client: &Client) -> Outcome {
        self.listing.print(client, "resource-config,workload", |format| {
            let configs = client.all::<ResourceConfigList>(CONFIGS, &self.query())?;
            if configs.is_empty() {
                self.listing
                    .none("there are no resource configs; `tidegate resource-config request` asks for one");
            }
            list(format, &configs, |wide| config_table(&configs, wide))
        })
    }
}

impl Decide {
    fn run(self, client: &Client, verb: &str) -> Outcome {
        let decision = Decision { note: self.note };
        for id in self.ids {
            let ask = Ask::post(format!("{REQUESTS}/{id}:{verb}"), &decision)?;
            let changed: Changed<ResourceRequest> = client.change(ask, self.options.dry_run)?;
            self.options.print(&changed, sentence, |request, _| request_text(request))?;
        }
        Ok(())
    }
}

/// What became of a request.
fn sentence(request: &ResourceRequest) -> String {
    match &request.config {
        Some(config) => format!("{} {}: {config}", request.id, request.state.word()),
        None => format!("{} {}", request.id, request.state.word()),
    }
}

impl Verb {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        match self {
            Verb::Request(request) => request.run(client),
            Verb::Requests(list) => list.requests(client),
            Verb::Approve(decide) => decide.run(client, "approve"),
            Verb::Decline(decide) => decide.run(client, "decline"),
            Verb::Withdraw { ids, options } => {
                for id in ids {
                    let ask = Ask::change(Method::POST, format!("{REQUESTS}/{id}:withdraw"));
                    let changed: Changed<ResourceRequest> = client.change(ask, options.dry_run)?;
                    options.print(&changed, sentence, |request, _| request_text(request))?;
                }
                Ok(())
            }
            Verb::List(list) => list.configs(client),
            Verb::Show { id, output } if id.starts_with("rr-") => {
                let request: ResourceRequest = client.get(format!("{REQUESTS}/{id}"))?;
                one(output.output, &request, |_| request_text(&request))
            }
            Verb::Show { id, output } => {
                let config: ResourceConfig = client.get(format!("{CONFIGS}/{id}"))?;
                one(output.output, &config, |_| config_text(&config))
            }
            Verb::Set { id, lend, cap, options } => {
                let ask = Ask::post(format!("{CONFIGS}/{id}:set"), &ConfigChange { lend, cap })?;
                let changed: Changed<ResourceConfig> = client.change(ask, options.dry_run)?;
                let set = |config: &ResourceConfig| format!("{} set", config.id);
                options.print(&changed, set, |config, _| config_text(config))
            }
            Verb::Extend { id, end, last_day, options } => {
                let asked = ExtendRequest { end, last_day };
                let ask = Ask::post(format!("{CONFIGS}/{id}:extend"), &asked)?;
                let changed: Changed<ResourceConfig> = client.change(ask, options.dry_run)?;
                let extended = |config: &ResourceConfig| format!("{} extended", config.id);
                options.print(&changed, extended, |config, _| config_text(config))
            }
            Verb::Release { ids, options } => {
                for id in ids {
                    let ask = Ask::change(Method::POST, format!("{CONFIGS}/{id}:release"));
                    let changed: Changed<ResourceConfig> = client.change(ask, options.dry_run)?;
                    let released = |config: &ResourceConfig| format!("{} released", config.id);
                    options.print(&changed, released, |config, _| config_text(config))?;
                }
                Ok(())
            }
        }
    }
}
