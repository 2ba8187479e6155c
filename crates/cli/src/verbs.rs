//! All verbs, and where each leads.

use crate::client::Client;
use crate::client::find::Connection;
use crate::exit::{Outcome, print};
use crate::output::Output;
use crate::serving::{demo, serve};
use crate::workload::{act, explain, list, logs, open, show, submit};
use crate::{
    account, apply, audit, center, local, login, pages, quota, supply, team, top, webhook, workload,
};
use clap::Subcommand;
use clap_complete::Shell;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Start the server: API and executor, with an embedded store
    #[command(after_help = serve::EXAMPLES)]
    Serve(Box<serve::Serve>),
    /// Play the worked example on 128 virtual GPUs, and leave its server up
    #[command(after_help = demo::EXAMPLES)]
    Demo(demo::Demo),
    /// Submit a workload: training unless --module says otherwise
    #[command(after_help = submit::EXAMPLES)]
    Submit(Box<submit::Submit>),
    /// List workloads, with the reason why each one waits
    #[command(visible_alias = "ls", after_help = list::EXAMPLES)]
    List(list::List),
    /// Show workloads with everything that is known of them
    #[command(after_help = show::EXAMPLES)]
    Show(show::Show),
    /// Say why a workload is where it is, and what would let it start
    #[command(after_help = explain::EXAMPLES)]
    Explain(explain::Explain),
    /// Print what happened to a workload, or what happens from now on
    #[command(after_help = explain::EVENTS_EXAMPLES)]
    Events(explain::Events),
    /// Print what a workload wrote
    #[command(after_help = logs::EXAMPLES)]
    Logs(logs::Logs),
    /// Open a notebook or service in the browser
    #[command(after_help = open::EXAMPLES)]
    Open(open::Open),
    /// Start an ended workload again
    #[command(after_help = act::START_EXAMPLES)]
    Start(act::Names),
    /// End workloads
    #[command(after_help = act::STOP_EXAMPLES)]
    Stop(act::Names),
    /// Send running workloads back to their queue, or start ended ones
    #[command(after_help = act::RESTART_EXAMPLES)]
    Restart(act::Names),
    /// Change how many replicas a workload has
    #[command(after_help = act::RESIZE_EXAMPLES)]
    Resize(act::Resize),
    /// Change a workload's priority
    #[command(after_help = act::PRIORITY_EXAMPLES)]
    Priority(act::SetPriority),
    /// Drop ended workloads from the lists
    #[command(visible_alias = "rm", after_help = act::DELETE_EXAMPLES)]
    Delete(act::Names),
    /// Show quotas, workloads and nodes, live
    #[command(after_help = top::EXAMPLES)]
    Top(top::Top),
    /// Make resources as manifests describe them
    #[command(after_help = apply::EXAMPLES)]
    Apply(apply::Apply),
    /// Pools: nodes under one administration
    #[command(subcommand, alias = "pools")]
    Pool(supply::pool::Verb),
    /// Nodes: what they carry, and whether they take more
    #[command(subcommand, alias = "nodes")]
    Node(supply::node::Verb),
    /// Quotas: shares of a pool, arranged as a tree
    #[command(subcommand, alias = "quotas")]
    Quota(quota::Verb),
    /// Workspaces: each team's room, with its members and the quotas that it may use
    #[command(subcommand, alias = "workspaces")]
    Workspace(team::workspace::Verb),
    /// Users: people who may act
    #[command(subcommand, alias = "users")]
    User(team::user::Verb),
    /// Roles: what members of workspaces may do
    #[command(subcommand, alias = "roles")]
    Role(team::role::Verb),
    /// Service accounts: programs that act in one workspace
    #[command(subcommand, alias = "service-accounts")]
    ServiceAccount(team::service_account::Verb),
    /// Tokens: what lets programs and the command line act for somebody
    #[command(subcommand, alias = "tokens")]
    Token(team::token::Verb),
    /// Workloads: the long names of the short verbs
    #[command(subcommand, alias = "workloads")]
    Workload(workload::Verb),
    /// Who changed what, newest first
    #[command(after_help = audit::EXAMPLES)]
    Audit(audit::Audit),
    /// Webhooks: addresses that are told what happens in a workspace
    #[command(subcommand, alias = "webhooks")]
    Webhook(webhook::Verb),
    /// Show who uses how many GPUs: in one's workspaces, or in a quota
    #[command(after_help = center::usage::EXAMPLES)]
    Usage(center::usage::Show),
    /// Run a scenario in virtual time, on the real engine
    #[command(after_help = local::simulate::EXAMPLES)]
    Simulate(local::simulate::Simulate),
    /// Replay a trace of jobs in virtual time, on the real engine
    #[command(after_help = local::replay::EXAMPLES)]
    Replay(local::replay::Replay),
    /// Write a backup of a data directory, also while its server runs
    #[command(after_help = local::store::BACKUP_EXAMPLES)]
    Backup(local::store::Backup),
    /// Make a data directory out of a backup
    #[command(after_help = local::store::RESTORE_EXAMPLES)]
    Restore(local::store::Restore),
    /// The durable log
    #[command(subcommand)]
    Log(local::store::Log),
    /// The server's configuration file
    #[command(subcommand)]
    Config(local::config::Verb),
    /// Remember a server and a token; with a name and a password, one is made
    #[command(after_help = login::LOGIN_EXAMPLES)]
    Login(login::Login),
    /// Forget the server that was remembered, and let its token be good no longer
    #[command(after_help = login::LOGOUT_EXAMPLES)]
    Logout,
    /// Choose a password for the console
    #[command(after_help = login::PASSWORD_EXAMPLES)]
    Password(login::Password),
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
            Verb::Serve(serve) => serve.run(),
            Verb::Demo(demo) => demo.run(),
            Verb::Submit(submit) => submit.run(&client()?),
            Verb::List(list) => list.run(&client()?),
            Verb::Show(show) => show.run(&client()?),
            Verb::Explain(explain) => explain.run(&client()?),
            Verb::Events(events) => events.run(&client()?),
            Verb::Logs(logs) => logs.run(&client()?),
            Verb::Open(open) => open.run(&client()?),
            Verb::Start(names) => names.post(&client()?, "start"),
            Verb::Stop(names) => names.stop(&client()?),
            Verb::Restart(names) => names.post(&client()?, "restart"),
            Verb::Resize(resize) => resize.run(&client()?),
            Verb::Priority(priority) => priority.run(&client()?),
            Verb::Delete(names) => names.delete(&client()?),
            Verb::Top(top) => top.run(client()?),
            Verb::Apply(apply) => apply.run(&client()?),
            Verb::Pool(verb) => verb.run(&client()?),
            Verb::Node(verb) => verb.run(&client()?),
            Verb::Quota(verb) => verb.run(&client()?),
            Verb::Workspace(verb) => verb.run(&client()?),
            Verb::User(verb) => verb.run(&client()?),
            Verb::Role(verb) => verb.run(&client()?),
            Verb::ServiceAccount(verb) => verb.run(&client()?),
            Verb::Token(verb) => verb.run(&client()?),
            Verb::Workload(verb) => verb.run(&client()?),
            Verb::Audit(audit) => audit.run(&client()?),
            Verb::Webhook(verb) => verb.run(&client()?),
            Verb::Usage(usage) => usage.run(&client()?),
            Verb::Simulate(simulate) => simulate.run(connection),
            Verb::Replay(replay) => replay.run(),
            Verb::Backup(backup) => backup.run(),
            Verb::Restore(restore) => restore.run(),
            Verb::Log(log) => log.run(),
            Verb::Config(verb) => verb.run(),
            Verb::Login(login) => login.run(connection),
            Verb::Logout => login::logout(),
            Verb::Password(password) => password.run(&client()?),
            Verb::Whoami { output } => account::whoami(&client()?, output),
            Verb::Completion { shell } => pages::completion(shell),
            Verb::Man { dir } => pages::man(&dir),
            Verb::Version => print(concat!("tidegate ", env!("CARGO_PKG_VERSION"), "\n")),
        }
    }
}
