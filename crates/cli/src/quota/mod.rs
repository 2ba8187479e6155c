//! Quotas: the tree, its books, and changes of both.

pub(crate) mod change;
pub(crate) mod flags;
pub(crate) mod show;
pub(crate) mod tree;

use crate::client::Client;
use crate::exit::Outcome;
use clap::Subcommand;

pub(crate) const PATH: &str = "/api/v1/quotas";

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Create a quota: a root over a pool, or a child of another
    #[command(after_help = flags::CREATE_EXAMPLES)]
    Create(Box<change::Create>),
    /// List quotas, in tree order
    #[command(visible_alias = "ls", after_help = show::LIST_EXAMPLES)]
    List(show::List),
    /// Show a quota's account
    #[command(after_help = show::SHOW_EXAMPLES)]
    Show(show::Show),
    /// Draw the tree: guarantee, drawn, lent, queued
    #[command(after_help = tree::EXAMPLES)]
    Tree(tree::Tree),
    /// Set a quota's guarantee
    #[command(after_help = change::SCALE_EXAMPLES)]
    Scale(change::Scale),
    /// Move an amount to a quota with the same parent, in one step or not at all
    #[command(after_help = change::TRANSFER_EXAMPLES)]
    Transfer(change::Transfer),
    /// Change a quota's policies
    #[command(after_help = flags::SET_EXAMPLES)]
    Set(Box<change::Set>),
    /// List who waits, first in line first, and why
    #[command(after_help = show::QUEUE_EXAMPLES)]
    Queue(show::Queue),
    /// List every change of a quota, newest first
    #[command(after_help = show::HISTORY_EXAMPLES)]
    History(show::History),
    /// Delete an empty quota
    #[command(visible_alias = "rm", after_help = change::DELETE_EXAMPLES)]
    Delete(change::Delete),
}

impl Verb {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        match self {
            Verb::Create(create) => create.run(client),
            Verb::List(list) => list.run(client),
            Verb::Show(show) => show.run(client),
            Verb::Tree(tree) => tree.run(client),
            Verb::Scale(scale) => scale.run(client),
            Verb::Transfer(transfer) => transfer.run(client),
            Verb::Set(set) => set.run(client),
            Verb::Queue(queue) => queue.run(client),
            Verb::History(history) => history.run(client),
            Verb::Delete(delete) => delete.run(client),
        }
    }
}
