//! `tidegate audit`: who changed what.

use crate::client::{Ask, Client, Query};
use crate::clock;
use crate::exit::{Exit, Failure, Outcome, note, print};
use crate::output::table::{Cell, Table};
use crate::output::{Format, document};
use clap::{Args, ValueEnum};
use std::io::{BufRead, BufReader};
use tidegate_api::audit::{AuditChange, AuditEntry, AuditList};
use tidegate_api::duration::Duration;
use tidegate_api::limits::MAX_PAGE;
use tidegate_api::name::Name;
use tidegate_api::page::PageToken;
use tidegate_api::time::Time;
use tidegate_engine::ids::Tick;

pub(crate) const EXAMPLES: &str = "Examples:
  tidegate audit --since 24h
  tidegate audit --workspace team-b --user berta
  tidegate audit --operation quota.scale -o json
  tidegate audit -o jsonl > audit.jsonl";

/// How the audit is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Shape {
    /// Columns for people
    #[default]
    Table,
    /// One JSON document
    Json,
    /// One YAML document
    Yaml,
    /// All of it, one JSON document on each line
    Jsonl,
}

/// There is only one thing to do with an audit; who types it all the same is right.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum OnlyVerb {
    List,
}

#[derive(Args, Debug)]
pub(crate) struct Audit {
    #[arg(hide = true)]
    _verb: Option<OnlyVerb>,
    /// Only what concerns this workspace; without it everything, for platform administrators
    #[arg(long)]
    workspace: Option<Name>,
    /// Only what this user asked for
    #[arg(long)]
    user: Option<String>,
    /// Only this operation, such as quota.scale
    #[arg(long)]
    operation: Option<String>,
    /// Not before: a time such as 2026-01-31T08:00:00Z, or how long ago, such as 24h
    #[arg(long, value_name = "TIME", value_parser = moment)]
    since: Option<Time>,
    /// Not after
    #[arg(long, value_name = "TIME", value_parser = moment)]
    until: Option<Time>,
    /// At most so many, the newest; jsonl prints all
    #[arg(long, default_value = "100")]
    limit: usize,
    /// How to print it
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    output: Shape,
}

/// A time, or how long ago it was.
pub(crate) fn moment(text: &str) -> Result<Time, String> {
    if let Ok(time) = text.parse::<Time>() {
        return Ok(time);
    }
    let ago: Duration = text
        .parse()
        .map_err(|_| format!("{text:?} is neither a time such as 2026-01-31T08:00:00Z nor 24h"))?;
    Ok(Time::of(Tick(clock::now_ms().saturating_sub(ago.span().0))))
}

impl Audit {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        let path = match &self.workspace {
            Some(name) => format!("/api/v1/workspaces/{name}/audit"),
            None => "/api/v1/audit".to_string(),
        };
        let query = self.query();
        if self.output == Shape::Jsonl {
            return lines(client, path, query);
        }
        let (entries, archived) = self.entries(client, &path, &query)?;
        if let Some(below) = archived.filter(|_| entries.len() < self.limit) {
            note(format!("events below {below} were archived: what they changed is in the archive's files"));
        }
        let format = match self.output {
            Shape::Table => return print(&table(&entries).text()),
            Shape::Yaml => Format::Yaml,
            Shape::Json | Shape::Jsonl => Format::Json,
        };
        document(format, &serde_json::json!({"items": entries, "archivedBelow": archived}))
    }

    fn query(&self) -> Query {
        let mut query = Query::new();
        query.extend(self.user.clone().map(|user| ("user", user)));
        query.extend(self.operation.clone().map(|operation| ("operation", operation)));
        query.extend(self.since.map(|time| ("from", time.to_string())));
        query.extend(self.until.map(|time| ("to", time.to_string())));
        query
    }

    fn entries(&self, client: &Client, path: &str, query: &Query) -> Outcome<(Vec<AuditEntry>, Option<u64>)> {
        let (mut all, mut token) = (Vec::new(), None::<PageToken>);
        loop {
            let mut query = query.clone();
            query.push(("limit", (self.limit - all.len()).clamp(1, MAX_PAGE as usize).to_string()));
            query.extend(token.map(|token| ("pageToken", token.to_string())));
            let page: AuditList = client.get_with(path, query)?;
            all.extend(page.items);
            all.truncate(self.limit);
            match page.next_page_token {
                Some(next) if all.len() < self.limit => token = Some(next),
                _ => return Ok((all, page.archived_below)),
            }
        }
    }
}

/// All of it, as it comes.
fn lines(client: &Client, path: String, query: Query) -> Outcome {
    let mut ask = Ask::get(path, query);
    ask.query.push(("format", "jsonl".into()));
    (ask.is_stream, ask.accept) = (true, Some("application/x-ndjson"));
    let Some(stream) = client.send(&ask)?.stream() else { return Ok(()) };
    let mut stream = BufReader::new(stream);
    loop {
        let mut line = String::new();
        let read = stream.read_line(&mut line).map_err(|error| {
            Failure::new(Exit::Unreachable, format!("the audit broke off: {error}")).hint("ask again")
        })?;
        if read == 0 {
            return Ok(());
        }
        print(&line)?;
    }
}

fn table(entries: &[AuditEntry]) -> Table {
    let mut table = Table::new(&["AT", "BY", "FROM", "OPERATION", "WHAT"]);
    for entry in entries {
        table.row(vec![
            Cell::from(entry.at),
            Cell::from(&entry.by),
            Cell::maybe(entry.from.as_ref()),
            Cell::from(&entry.operation),
            Cell::from(what(&entry.changes)),
        ]);
    }
    table
}

/// The first change in words, and how many more there are.
fn what(changes: &[AuditChange]) -> String {
    let Some(first) = changes.first() else { return String::new() };
    let place = first.workspace.as_ref().filter(|room| **room != first.name);
    let place = place.map_or(String::new(), |room| format!(" in {room}"));
    let values = match (&first.before, &first.after) {
        (Some(before), Some(after)) => format!(": {}", difference(before, after)),
        _ => String::new(),
    };
    let more = match changes.len() {
        0 | 1 => String::new(),
        all => format!(" and {} more", all - 1),
    };
    format!("{} {} {}{place}{values}{more}", first.kind, first.name, first.event)
}

/// The fields that differ.
fn difference(before: &serde_json::Value, after: &serde_json::Value) -> String {
    let (Some(before), Some(after)) = (before.as_object(), after.as_object()) else { return String::new() };
    let mut keys: Vec<&String> = before.keys().chain(after.keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    let none = serde_json::Value::Null;
    let side = |value: Option<&serde_json::Value>| match value.unwrap_or(&none) {
        serde_json::Value::Null => "nothing".to_string(),
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let changed = keys.into_iter().filter(|key| before.get(*key) != after.get(*key));
    let words = changed.map(|key| format!("{key} {} -> {}", side(before.get(key)), side(after.get(key))));
    words.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_differs_is_said() {
        let (before, after) = (json!({"role": "guest", "x": 1}), json!({"role": "admin", "x": 1, "y": [2]}));
        assert_eq!(difference(&before, &after), "role guest -> admin, y nothing -> [2]");
    }

    #[test]
    fn a_moment_is_a_time_or_how_long_ago() {
        assert_eq!(
            moment("2026-01-31T08:00:00Z").map(|time| time.to_string()),
            Ok("2026-01-31T08:00:00Z".into())
        );
        assert!(moment("24h").is_ok() && moment("soon").is_err());
    }
}
