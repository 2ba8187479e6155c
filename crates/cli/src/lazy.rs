//! Arguments of verbs that are described only when their verb is typed: describing all of them takes longer than
//! what most verbs do.

use clap::error::Error;
use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};

/// What `T` takes, described late.
#[derive(Debug)]
pub(crate) struct Lazy<T>(pub(crate) Box<T>);

impl<T: FromArgMatches> FromArgMatches for Lazy<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Lazy<T>, Error> {
        T::from_arg_matches(matches).map(|found| Lazy(Box::new(found)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl<T: Args> Args for Lazy<T> {
    fn augment_args(command: Command) -> Command {
        command.defer(|command| described(command, T::augment_args))
    }

    fn augment_args_for_update(command: Command) -> Command {
        command.defer(|command| described(command, T::augment_args_for_update))
    }
}

impl<T: Subcommand> Subcommand for Lazy<T> {
    fn augment_subcommands(command: Command) -> Command {
        command.defer(|command| described(command, T::augment_subcommands))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        command.defer(|command| described(command, T::augment_subcommands_for_update))
    }

    fn has_subcommand(name: &str) -> bool {
        T::has_subcommand(name)
    }
}

/// What was said of the verb itself counts, not what is said of its arguments' type.
fn described(command: Command, describe: fn(Command) -> Command) -> Command {
    match command.get_about().cloned() {
        Some(about) => describe(command).about(about),
        None => describe(command),
    }
}
