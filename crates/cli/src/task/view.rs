//! Tasks in words.

use crate::output::facts::Facts;
use crate::output::table::{Cell, Table};
use tidegate_api::duration::Duration;
use tidegate_api::task::{Task, TaskResult, TaskState};

fn template(task: &Task) -> String {
    match (&task.template, task.template_version) {
        (Some(name), Some(version)) => format!("{name}@{version}"),
        _ => "-".into(),
    }
}

/// Why it waits, or what became of it.
fn why(task: &Task) -> String {
    match task.state {
        TaskState::Waiting => task.reasons.first().map_or(String::new(), |reason| reason.text.clone()),
        TaskState::Failed => ended(task),
        _ => String::new(),
    }
}

/// How it ended, as far as that is known.
pub(super) fn ended(task: &Task) -> String {
    match (&task.detail, task.exit_code) {
        (Some(detail), _) => detail.clone(),
        (None, Some(code)) => format!("exit code {code}"),
        (None, None) => String::new(),
    }
}

/// Who did it, of a template that keeps its processes.
fn taken(warm: bool) -> &'static str {
    if warm { "one that waited took it" } else { "one was started for it" }
}

pub(super) fn sentence(task: &Task) -> String {
    let (name, state, why) = (&task.name, task.state.word(), why(task));
    match (task.state, why.is_empty()) {
        (TaskState::Waiting, false) => format!("{name} waits: {why}"),
        (TaskState::Waiting, true) => format!("{name} waits"),
        (TaskState::Running, _) => format!("{name} runs"),
        (_, false) => format!("{name} {state}: {why}"),
        (_, true) => format!("{name} {state}"),
    }
}

pub(super) fn table(tasks: &[Task], wide: bool) -> Table {
    let mut head = vec!["NAME", "STATE", "TEMPLATE", "WHY"];
    if wide {
        head.extend(["ID", "WORKSPACE", "OWNER", "CONFIG", "RETRIES", "CREATED"]);
    }
    let mut table = Table::new(&head);
    for task in tasks {
        let mut row = vec![
            Cell::from(&task.name),
            Cell::from(task.state.word()),
            Cell::from(template(task)),
            Cell::from(why(task)),
        ];
        if wide {
            row.extend([
                Cell::from(&task.id),
                Cell::from(&task.workspace),
                Cell::from(&task.owner),
                Cell::from(task.resource_config.as_deref().unwrap_or("-")),
                Cell::from(task.retries.to_string()),
                Cell::from(task.created_at.to_string()),
            ]);
        }
        table.row(row);
    }
    table
}

pub(super) fn text(task: &Task, _: bool) -> String {
    let known = |time: Option<Duration>| time.map_or_else(|| "unknown".into(), |time| time.to_string());
    let mut facts = Facts::default();
    facts
        .add("name", &task.name)
        .add("id", &task.id)
        .add("state", task.state.word())
        .lines("why", task.reasons.iter().map(|reason| reason.text.clone()).collect())
        .maybe("position", task.position)
        .add("template", template(task))
        .add("workspace", &task.workspace)
        .add("owner", &task.owner)
        .maybe("compute", task.resource_config.as_deref())
        .add("estimated wait", known(task.estimated_wait))
        .add("estimated duration", known(task.estimated_duration))
        .add("created", task.created_at)
        .maybe("started", task.started_at)
        .maybe("ended", task.ended_at)
        .add("retries", task.retries)
        .maybe("exit code", task.exit_code)
        .maybe("detail", task.detail.as_deref())
        .maybe("warm worker", task.warm_worker.map(taken));
    if !task.inputs.is_null() {
        facts.add("inputs", &task.inputs);
    }
    facts.text()
}

pub(super) fn result_text(result: &TaskResult) -> String {
    let mut facts = Facts::default();
    facts
        .add("id", &result.id)
        .add("state", result.state.word())
        .maybe("exit code", result.exit_code)
        .maybe("detail", result.detail.as_deref())
        .add("output", &result.output)
        .lines("files", result.files.iter().map(|f| format!("{} ({} bytes)", f.path, f.size)).collect());
    facts.text()
}
