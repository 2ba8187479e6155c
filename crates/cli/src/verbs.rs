//! All verbs, and where each leads.

use crate::client::Client;
use crate::client::find::Connection;
use crate::exit::{Outcome, print};
use crate::lazy::Lazy;
use crate::output::Output;
use crate::serving::{demo, serve};
use crate::workload::{act, explain, list, logs, open, show, submit};
use crate::{
    account, apply, audit, billing, dedicated, local, login, pages, quota, supply, task, team, top, webhook,
    workload,
};
use clap::Subcommand;
use clap_complete::Shell;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Start the server: API and executor, with an embedded store
    #[command(after_help = serve::EXAMPLES)]
    Serve(Lazy<serve::Serve>),
    /// Play the worked example on 128 virtual GPUs, and leave its server up
    #[command(after_help = demo::EXAMPLES)]
    Demo(Lazy<demo::Demo>),
    /// Submit a workload: training unless --module says otherwise
    #[command(after_help = submit::EXAMPLES)]
    Submit(Lazy<submit::Submit>),
    /// List workloads, with the reason why each one waits
    #[command(visible_alias = "ls", after_help = list::EXAMPLES)]
    List(Lazy<list::List>),
    /// Show workloads with everything that is known of them
    #[command(after_help = show::EXAMPLES)]
    Show(Lazy<show::Show>),
    /// Say why a workload is where it is, and what would let it start
    #[command(after_help = explain::EXAMPLES)]
    Explain(Lazy<explain::Explain>),
    /// Print what happened to a workload, or what happens from now on
    #[command(after_help = explain::EVENTS_EXAMPLES)]
    Events(Lazy<explain::Events>),
    /// Print what a workload wrote
    #[command(after_help = logs::EXAMPLES)]
    Logs(Lazy<logs::Logs>),
    /// Open a notebook or service in the browser
    #[command(after_help = open::EXAMPLES)]
    Open(Lazy<open::Open>),
    /// Start an ended workload again
    #[command(after_help = act::START_EXAMPLES)]
    Start(Lazy<act::Names>),
    /// End workloads
    #[command(after_help = act::STOP_EXAMPLES)]
    Stop(Lazy<act::Names>),
    /// Send running workloads back to their queue, or start ended ones
    #[command(after_help = act::RESTART_EXAMPLES)]
    Restart(Lazy<act::Names>),
    /// Change how many replicas a workload has
    #[command(after_help = act::RESIZE_EXAMPLES)]
    Resize(Lazy<act::Resize>),
    /// Change a workload's priority
    #[command(after_help = act::PRIORITY_EXAMPLES)]
    Priority(Lazy<act::SetPriority>),
    /// Drop ended workloads from the lists
    #[command(visible_alias = "rm", after_help = act::DELETE_EXAMPLES)]
    Delete(Lazy<act::Names>),
    /// Show quotas, workloads and nodes, live
    #[command(after_help = top::EXAMPLES)]
    Top(Lazy<top::Top>),
    /// Make resources as manifests describe them
    #[command(after_help = apply::EXAMPLES)]
    Apply(Lazy<apply::Apply>),
    /// Pools: nodes under one administration
    #[command(subcommand, alias = "pools")]
    Pool(Lazy<supply::pool::Verb>),
    /// Nodes: what they carry, and whether they take more
    #[command(subcommand, alias = "nodes")]
    Node(Lazy<supply::node::Verb>),
    /// Quotas: shares of a pool, arranged as a tree
    #[command(subcommand, alias = "quotas")]
    Quota(Lazy<quota::Verb>),
    /// Workspaces: each team's room, with its members and the quotas that it may use
    #[command(subcommand, alias = "workspaces")]
    Workspace(Lazy<team::workspace::Verb>),
    /// Users: people who may act
    #[command(subcommand, alias = "users")]
    User(Lazy<team::user::Verb>),
    /// Roles: what members of workspaces may do
    #[command(subcommand, alias = "roles")]
    Role(Lazy<team::role::Verb>),
    /// Service accounts: programs that act in one workspace
    #[command(subcommand, alias = "service-accounts")]
    ServiceAccount(Lazy<team::service_account::Verb>),
    /// Tokens: what lets programs and the command line act for somebody
    #[command(subcommand, alias = "tokens")]
    Token(Lazy<team::token::Verb>),
    /// Workloads: the long names of the short verbs
    #[command(subcommand, alias = "workloads")]
    Workload(Lazy<workload::Verb>),
    /// Templates: what tasks are made of
    #[command(subcommand, alias = "templates")]
    Template(Lazy<task::template::Verb>),
    /// Tasks: short work made of a template and inputs
    #[command(subcommand, alias = "tasks")]
    Task(Lazy<task::Verb>),
    /// Dedicated compute: ask for it, decide, see how much of it is in use
    #[command(subcommand, alias = "resource-configs", visible_alias = "rc")]
    ResourceConfig(Lazy<dedicated::Verb>),
    /// Who changed what, newest first
    #[command(after_help = audit::EXAMPLES)]
    Audit(Lazy<audit::Audit>),
    /// Webhooks: addresses that are told what happens in a workspace
    #[command(subcommand, alias = "webhooks")]
    Webhook(Lazy<webhook::Verb>),
    /// Show who uses how many GPUs now; `report` and `records` tell what was used
    #[command(after_help = billing::usage::EXAMPLES)]
    Usage(Lazy<billing::usage::Usage>),
    /// Prices: what a GPU, core or GiB costs for an hour
    #[command(subcommand, alias = "prices")]
    Price(Lazy<billing::price::Verb>),
    /// Show what use of a period costs
    #[command(visible_alias = "bills", after_help = billing::bill::EXAMPLES)]
    Bill(Lazy<billing::bill::Bills>),
    /// Budgets: what a workspace means to spend in a month
    #[command(subcommand, alias = "budgets")]
    Budget(Lazy<billing::budget::Verb>),
    /// Run a scenario in virtual time, on the real engine
    #[command(after_help = local::simulate::EXAMPLES)]
    Simulate(Lazy<local::simulate::Simulate>),
    /// Replay a trace of jobs in virtual time, on the real engine
    #[command(after_help = local::replay::EXAMPLES)]
    Replay(Lazy<local::replay::Replay>),
    /// Write a backup of a data directory, also while its server runs
    #[command(after_help = local::store::BACKUP_EXAMPLES)]
    Backup(Lazy<local::store::Backup>),
    /// Make a data directory out of a backup
    #[command(after_help = local::store::RESTORE_EXAMPLES)]
    Restore(Lazy<local::store::Restore>),
    /// The durable log
    #[command(subcommand)]
    Log(Lazy<local::store::Log>),
    /// The server's configuration file
    #[command(subcommand)]
    Config(Lazy<local::config::Verb>),
    /// Remember a server and a token; with a name and a password, one is made
    #[command(after_help = login::LOGIN_EXAMPLES)]
    Login(Lazy<login::Login>),
    /// Forget the server that was remembered, and let its token be good no longer
    #[command(after_help = login::LOGOUT_EXAMPLES)]
    Logout,
    /// Choose a password for the console
    #[command(after_help = login::PASSWORD_EXAMPLES)]
    Password(Lazy<login::Password>),
    /// Say which server is asked, and as whom
    #[command(after_help = account::WHOAMI_EXAMPLES)]
    Whoami {
        #[command(flatten)]
        output: Output,
    },
    /// Print completions for a shell
    #[command(after_help = pages::COMPLETION_EXAMPLES)]
    Completion {
        /// bash, zsh, fish, elvish or powershell
        shell: Shell,
    },
    /// Write man pages to a folder
    #[command(hide = true)]
    Man { dir: PathBuf },
    /// Print the version
    #[command(after_help = "Examples:\n  tidegate version")]
    Version,
}

impl Verb {
    pub(crate) fn run(self, connection: &Connection) -> Outcome {
        let client = || Client::new(connection.find()?);
        match self {
            Verb::Serve(serve) => serve.0.run(),
            Verb::Demo(demo) => demo.0.run(),
            Verb::Submit(submit) => submit.0.run(&client()?),
            Verb::List(list) => list.0.run(&client()?),
            Verb::Show(show) => show.0.run(&client()?),
            Verb::Explain(explain) => explain.0.run(&client()?),
            Verb::Events(events) => events.0.run(&client()?),
            Verb::Logs(logs) => logs.0.run(&client()?),
            Verb::Open(open) => open.0.run(&client()?),
            Verb::Start(names) => names.0.post(&client()?, "start"),
            Verb::Stop(names) => names.0.stop(&client()?),
            Verb::Restart(names) => names.0.post(&client()?, "restart"),
            Verb::Resize(resize) => resize.0.run(&client()?),
            Verb::Priority(priority) => priority.0.run(&client()?),
            Verb::Delete(names) => names.0.delete(&client()?),
            Verb::Top(top) => top.0.run(client()?),
            Verb::Apply(apply) => apply.0.run(&client()?),
            Verb::Pool(verb) => verb.0.run(&client()?),
            Verb::Node(verb) => verb.0.run(&client()?),
            Verb::Quota(verb) => verb.0.run(&client()?),
            Verb::Workspace(verb) => verb.0.run(&client()?),
            Verb::User(verb) => verb.0.run(&client()?),
            Verb::Role(verb) => verb.0.run(&client()?),
            Verb::ServiceAccount(verb) => verb.0.run(&client()?),
            Verb::Token(verb) => verb.0.run(&client()?),
            Verb::Workload(verb) => verb.0.run(&client()?),
            Verb::Template(verb) => verb.0.run(&client()?),
            Verb::Task(verb) => verb.0.run(&client()?),
            Verb::ResourceConfig(verb) => verb.0.run(&client()?),
            Verb::Audit(audit) => audit.0.run(&client()?),
            Verb::Webhook(verb) => verb.0.run(&client()?),
            Verb::Usage(usage) => usage.0.run(&client()?),
            Verb::Price(verb) => verb.0.run(&client()?),
            Verb::Bill(bill) => bill.0.run(&client()?),
            Verb::Budget(verb) => verb.0.run(&client()?),
            Verb::Simulate(simulate) => simulate.0.run(connection),
            Verb::Replay(replay) => replay.0.run(),
            Verb::Backup(backup) => backup.0.run(),
            Verb::Restore(restore) => restore.0.run(),
            Verb::Log(log) => log.0.run(),
            Verb::Config(verb) => verb.0.run(),
            Verb::Login(login) => login.0.run(connection),
            Verb::Logout => login::logout(),
            Verb::Password(password) => password.0.run(&client()?),
            Verb::Whoami { output } => account::whoami(&client()?, output),
            Verb::Completion { shell } => pages::completion(shell),
            Verb::Man { dir } => pages::man(&dir),
            Verb::Version => print(concat!("tidegate ", env!("CARGO_PKG_VERSION"), "\n")),
        }
    }
}
