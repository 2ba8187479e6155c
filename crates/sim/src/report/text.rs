//! Notes as lines for people: `TIME NAME EVENT [details]`.

use super::note::{AccountDraws, Detail, Note, Subject};
use super::{Report, books};

/// Lines that belong to the one above are moved in by so much.
const INDENT: &str = "    ";

/// All lines of a report, each with its newline.
pub fn render(report: &Report) -> String {
    let mut text = String::new();
    for note in &report.notes {
        text.push_str(&note.at.to_string());
        text.push_str("  ");
        push(&mut text, note, 0);
    }
    text
}

/// A note without its time, and the lines below it.
fn push(text: &mut String, note: &Note, depth: usize) {
    let (head, below) = match &note.subject {
        Subject::Workload(name) | Subject::Quota(name) | Subject::Node(name) => {
            let (details, below) = details(note);
            let why = match &note.detail {
                Detail::Evicted { why, .. } if depth > 0 => format!(": {why}"),
                _ => String::new(),
            };
            (format!("{name} {}{details}{why}", note.word), below)
        }
        Subject::Everything => (note.word.to_string(), details(note).1),
    };
    text.push_str(&head);
    text.push('\n');
    for line in below {
        text.push_str(&INDENT.repeat(depth + 1));
        text.push_str(line.trim_end());
        text.push('\n');
    }
    if let Detail::Would { notes, .. } = &note.detail {
        for would in notes {
            text.push_str(&INDENT.repeat(depth + 1));
            push(text, would, depth + 1);
        }
    }
}

/// What follows the word on its line, and the lines below.
fn details(note: &Note) -> (String, Vec<String>) {
    let line = match &note.detail {
        Detail::None => String::new(),
        Detail::Queued { queue, reasons } if reasons.is_empty() => format!(" {queue}"),
        Detail::Queued { queue, reasons } => format!(" {queue}: {}", reasons.join("; ")),
        Detail::Started { total, draws, class, .. } if note.word == "grown" => {
            format!(" to {}{} ({class})", replicas(*total), accounts(draws))
        }
        Detail::Started { replicas: started, draws, class, .. } => {
            format!(" {}{} ({class})", replicas(*started), accounts(draws))
        }
        Detail::Moved { draws, class } => format!("{} ({class})", accounts(draws)),
        Detail::Evicted { by, rule, replicas: left, .. } => {
            let left = if *left > 0 { format!(" to {}", replicas(*left)) } else { String::new() };
            let by = by.as_ref().map_or(String::new(), |by| format!(" by {by}"));
            format!("{left}{by} ({rule})")
        }
        Detail::Lost { node, replicas: 0 } => format!(" node {node}"),
        Detail::Lost { node, replicas: left } => format!(" node {node}, {} left", replicas(*left)),
        Detail::Failed { restart: Some((number, all)) } => format!(", restart {number} of {all}"),
        Detail::Failed { restart: None } => String::new(),
        Detail::Stopped { why } => why.map_or(String::new(), |why| format!(" ({why})")),
        Detail::Refused { what, hint, .. } => format!(": {what}; hint: {hint}"),
        Detail::Scaled { from, to } => format!(" {} -> {}", from.text(), to.text()),
        Detail::Amount(figures) if note.word == "overdrawn" => format!(" by {}", figures.text()),
        Detail::Amount(figures) => format!(" {}", figures.text()),
        Detail::Set(changes) => changes.iter().map(|(key, value)| format!(" {key}={value}")).collect(),
        Detail::NodeState { reason } if reason.is_empty() => String::new(),
        Detail::NodeState { reason } => format!(": {reason}"),
        Detail::Device { device, reason } if reason.is_empty() => format!(" GPU {device}"),
        Detail::Device { device, reason } => format!(" GPU {device}: {reason}"),
        Detail::Books(rows) => return (String::new(), books::table(rows)),
        Detail::Explained(explained) => return (String::new(), explained.lines()),
        Detail::Would { command, notes } => {
            let below =
                if notes.is_empty() { vec!["nobody would start or leave".into()] } else { Vec::new() };
            return (format!(" {command}"), below);
        }
    };
    (line, Vec::new())
}

fn replicas(count: u32) -> String {
    if count == 1 { "1 replica".into() } else { format!("{count} replicas") }
}

pub(super) fn accounts(draws: &AccountDraws) -> String {
    draws.iter().map(|(account, figures)| format!(" {account}:{}", figures.text())).collect()
}
