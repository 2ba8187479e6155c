//! What was typed. A parser that knows all verbs gives each of them a copy of the options that all have, which takes
//! longer than most verbs do: a line that begins with a verb is read by a parser that knows no other.

use crate::client::find::Connection;
use crate::{Arguments, NAME};
use clap::error::Error;
use clap::{Args, Command, CommandFactory, FromArgMatches};
use std::ffi::OsString;
use std::mem;

/// Reads the line that this process was started with.
pub(crate) fn read(words: Vec<OsString>) -> Result<Arguments, Error> {
    let mut command = Arguments::command();
    // An option before it may have a value that reads like a verb.
    if let Some(verb) = words.get(1).and_then(|word| command.find_subcommand(word)).cloned() {
        let alone = Connection::augment_args(Command::new(NAME)).subcommand(verb);
        // The process ends soon: nothing is taken apart before.
        mem::forget(mem::replace(&mut command, alone));
    }
    let read = command.try_get_matches_from_mut(words).and_then(|mut matches| {
        Arguments::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
    });
    mem::forget(command);
    read
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    /// What is answered to a line that asks for help or is wrong.
    fn complaint(read: Result<Arguments, Error>) -> String {
        read.map(|read| format!("{read:?}")).unwrap_or_else(|error| error.render().to_string())
    }

    #[test]
    fn a_verb_alone_is_read_as_among_all() {
        let whole = Arguments::command();
        let names = whole.get_subcommands().flat_map(|verb| {
            std::iter::once(verb.get_name()).chain(verb.get_all_aliases()).map(str::to_string)
        });
        for name in names.chain(["help".into(), "no-such-verb".into(), "--server".into(), "--help".into()]) {
            for rest in
                [&["--help"][..], &["-h"], &["--no-such-flag"], &["--server", "x"], &["x", "y", "z"], &[]]
            {
                let words: Vec<OsString> =
                    ["tidegate", &name].iter().chain(rest).map(OsString::from).collect();
                let expected = complaint(Arguments::try_parse_from(&words));
                assert_eq!(complaint(read(words.clone())), expected, "{words:?}");
            }
        }
    }
}
