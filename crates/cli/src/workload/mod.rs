//! Workloads: listed, shown, submitted, acted on.

pub(crate) mod act;
pub(crate) mod explain;
pub(crate) mod list;
pub(crate) mod logs;
pub(crate) mod open;
pub(crate) mod show;
pub(crate) mod submit;
mod takes;
pub(crate) mod wait;
pub(crate) mod within;

use crate::client::Client;
use crate::exit::Outcome;
use clap::Subcommand;

pub(crate) const PATH: &str = "/api/v1/workloads";

/// `tidegate workload VERB`: the long names of the short verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    #[command(visible_alias = "submit", after_help = submit::EXAMPLES)]
    /// Submit a workload
    Create(Box<submit::Submit>),
    #[command(visible_alias = "ls", after_help = list::EXAMPLES)]
    /// List workloads, with the reason why each one waits
    List(list::List),
    #[command(after_help = show::EXAMPLES)]
    /// Show workloads with everything that is known of them
    Show(show::Show),
    #[command(after_help = explain::EXAMPLES)]
    /// Say why a workload is where it is, and what would let it start
    Explain(explain::Explain),
    #[command(after_help = explain::EVENTS_EXAMPLES)]
    /// Print what happened to a workload
    Events(explain::Events),
    #[command(after_help = logs::EXAMPLES)]
    /// Print what a workload wrote
    Logs(logs::Logs),
    #[command(after_help = open::EXAMPLES)]
    /// Open a notebook or service in the browser
    Open(open::Open),
    #[command(after_help = act::START_EXAMPLES)]
    /// Start an ended workload again
    Start(act::Names),
    #[command(after_help = act::STOP_EXAMPLES)]
    /// End workloads
    Stop(act::Names),
    #[command(after_help = act::RESTART_EXAMPLES)]
    /// Send running workloads back to their queue, or start ended ones
    Restart(act::Names),
    #[command(after_help = act::RESIZE_EXAMPLES)]
    /// Change how many replicas a workload has
    Resize(act::Resize),
    #[command(after_help = act::PRIORITY_EXAMPLES)]
    /// Change a workload's priority
    Priority(act::SetPriority),
    #[command(visible_alias = "rm", after_help = act::DELETE_EXAMPLES)]
    /// Drop ended workloads from the lists
    Delete(act::Names),
}

impl Verb {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        match self {
            Verb::Create(submit) => submit.run(client),
            Verb::List(list) => list.run(client),
            Verb::Show(show) => show.run(client),
            Verb::Explain(explain) => explain.run(client),
            Verb::Events(events) => events.run(client),
            Verb::Logs(logs) => logs.run(client),
            Verb::Open(open) => open.run(client),
            Verb::Start(names) => names.post(client, "start"),
            Verb::Stop(names) => names.stop(client),
            Verb::Restart(names) => names.post(client, "restart"),
            Verb::Resize(resize) => resize.run(client),
            Verb::Priority(priority) => priority.run(client),
            Verb::Delete(names) => names.delete(client),
        }
    }
}
