//! docs/reference/cli.md, made from the definitions that the command line is made from.

use clap::{Arg, ArgAction, Command, CommandFactory};
use std::fmt::Write;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/cli.md");

const OPENING: &str = "# The command line

Made from the code by `UPDATE=1 cargo test -p tidegate-cli reference`; a test fails when the two differ. `tidegate VERB --help` says the same in the terminal, `make man` writes man pages.

Nouns may be written in the plural: `tidegate quotas list`. Data goes to stdout, everything else to stderr. [Exit codes](../exit-codes.md) are a contract.
";

/// Text in a table: no line breaks, no bars.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// `-q, --quota QUOTA`, or `NAME...` for what has its place.
fn written(arg: &Arg) -> String {
    let names: Vec<String> =
        arg.get_value_names().unwrap_or_default().iter().map(ToString::to_string).collect();
    let takes_value = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
    let value = if takes_value { names.join(" ") } else { String::new() };
    if arg.is_positional() {
        let many = if matches!(arg.get_action(), ArgAction::Append) { "..." } else { "" };
        return if arg.is_required_set() { format!("{value}{many}") } else { format!("[{value}{many}]") };
    }
    let short = arg.get_short().map(|short| format!("-{short}"));
    let long = arg.get_long().map(|long| format!("--{long}"));
    let flags = short.into_iter().chain(long).collect::<Vec<_>>().join(", ");
    format!("{flags} {value}").trim_end().to_string()
}

fn meaning(arg: &Arg) -> String {
    let mut text = cell(&arg.get_help().map(ToString::to_string).unwrap_or_default());
    let values = arg.get_possible_values();
    let named: Vec<&str> = values.iter().map(|value| value.get_name()).collect();
    let is_flag = !matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
    if !named.is_empty() && !is_flag && !named.iter().all(|name| text.contains(name)) {
        let _ = write!(text, ": {}", named.join(", "));
    }
    let defaults: Vec<String> =
        arg.get_default_values().iter().map(|v| v.to_string_lossy().into_owned()).collect();
    if !defaults.is_empty() && !is_flag && !arg.is_hide_default_value_set() {
        let _ = write!(text, " (default {})", cell(&defaults.join(",")));
    }
    if let Some(variable) = arg.get_env() {
        let _ = write!(text, " (or `{}`)", variable.to_string_lossy());
    }
    text
}

fn table<'a>(args: impl Iterator<Item = &'a Arg>) -> String {
    let rows: Vec<String> =
        args.map(|arg| format!("| `{}` | {} |\n", cell(&written(arg)), meaning(arg))).collect();
    if rows.is_empty() { String::new() } else { format!("\n| | |\n|---|---|\n{}", rows.concat()) }
}

fn is_shown(arg: &Arg) -> bool {
    !arg.is_hide_set() && !arg.is_global_set() && !["help", "version"].contains(&arg.get_id().as_str())
}

/// A verb and those below it.
fn section(command: &Command, path: &str, page: &mut String) {
    let level = "#".repeat(path.split(' ').count().min(3));
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let _ = write!(page, "\n{level} {path}\n\n{about}.\n");
    let aliases: Vec<String> = command.get_visible_aliases().map(|alias| format!("`{alias}`")).collect();
    if !aliases.is_empty() {
        let _ = write!(page, "\nAlso {}.\n", aliases.join(", "));
    }
    // What has its place comes first, then the flags, both as they are defined.
    let args = || command.get_arguments().filter(|arg| is_shown(arg));
    page.push_str(&table(
        args().filter(|arg| arg.is_positional()).chain(args().filter(|arg| !arg.is_positional())),
    ));
    if let Some(after) = command.get_after_help() {
        let _ = write!(page, "\n```text\n{}\n```\n", after.to_string().trim_end());
    }
    for below in command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help")
    {
        section(below, &format!("{path} {}", below.get_name()), page);
    }
}

/// All of it, what is described late included.
fn whole() -> Command {
    let mut command = crate::Arguments::command().disable_help_subcommand(true);
    command.build();
    command
}

fn page() -> String {
    let command = whole();
    let mut page = OPENING.to_string();
    let connection = command.get_arguments().filter(|arg| arg.is_global_set() && !arg.is_hide_set());
    let own = connection.filter(|arg| !["help", "version"].contains(&arg.get_id().as_str()));
    let _ = write!(page, "\n## Which server\n\nEvery verb that asks a server takes these.\n{}", table(own));
    for below in command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help")
    {
        section(below, &format!("tidegate {}", below.get_name()), &mut page);
    }
    page
}

/// Every argument of a command and of what is below it.
fn undescribed(command: &Command, path: &str, found: &mut Vec<String>) {
    let path = format!("{path} {}", command.get_name());
    let silent = command.get_arguments().filter(|arg| arg.get_help().is_none() && !arg.is_hide_set());
    found.extend(silent.map(|arg| format!("{path}: {}", written(arg))));
    let verbs = command.get_subcommands().filter(|verb| verb.get_name() != "help" && !verb.is_hide_set());
    for verb in verbs {
        let is_leaf = !verb.has_subcommands();
        if is_leaf && !verb.get_after_help().is_some_and(|text| text.to_string().contains("Examples:")) {
            found.push(format!("{path} {}: no examples", verb.get_name()));
        }
        undescribed(verb, &path, found);
    }
}

#[test]
fn every_argument_says_what_it_is_and_every_verb_has_examples() {
    let mut found = Vec::new();
    undescribed(&whole(), "", &mut found);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn the_reference_is_what_the_code_says() {
    let made = page();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(PAGE, &made).expect("the page can be written");
    }
    let kept = std::fs::read_to_string(PAGE).unwrap_or_default();
    assert!(made == kept, "docs/reference/cli.md is not what the code says: UPDATE=1 writes it");
}
