//! Requests and resource configs in words.

use crate::output::facts::Facts;
use crate::output::figures::{amounts, guarantee};
use crate::output::table::{Cell, Table};
use tidegate_api::amounts::Figure;
use tidegate_api::dedicated::{ByUsage, Reserved, ResourceConfig, ResourceRequest, Weekly};

fn mode(reserved: Option<&Reserved>) -> &'static str {
    if reserved.is_some() { "reserved" } else { "by usage" }
}

fn size(reserved: Option<&Reserved>, by_usage: Option<&ByUsage>) -> String {
    let up_to = |by_usage: &ByUsage| format!("up to {}", guarantee(&by_usage.maximum));
    let size = reserved.map(|reserved| guarantee(&reserved.size));
    size.or_else(|| by_usage.map(up_to)).unwrap_or_default()
}

/// Thousandths of all as percent.
fn percent(part: Figure) -> String {
    format!("{}%", Figure(part.0 * 100))
}

/// `mon,tue 09:00-18:00 Europe/Berlin, 2026-03-02 to 2026-06-26`.
fn weekly(weekly: &Weekly) -> String {
    let Weekly { days, from, to, time_zone, first_day, last_day } = weekly;
    format!("{} {from}-{to} {time_zone}, {first_day} to {last_day}", days.join(","))
}

/// What was asked for, one fact after the other.
fn terms(facts: &mut Facts, reserved: Option<&Reserved>, by_usage: Option<&ByUsage>) {
    facts.add("mode", mode(reserved));
    if let Some(reserved) = reserved {
        facts.add("size", guarantee(&reserved.size));
        facts.maybe("start", reserved.start).maybe("end", reserved.end);
        facts.maybe("weekly", reserved.weekly.as_ref().map(weekly));
    }
    if let Some(by_usage) = by_usage {
        facts
            .add("maximum", guarantee(&by_usage.maximum))
            .maybe("minimum", by_usage.minimum.as_ref().map(guarantee))
            .add("step", guarantee(&by_usage.step))
            .maybe("grows at", by_usage.threshold.map(|percent| format!("{percent}%")))
            .maybe("grows after", by_usage.wait.map(|wait| format!("{wait} of waiting")))
            .maybe("cool-down", by_usage.cool_down)
            .maybe("until", by_usage.until);
    }
}

pub(super) fn request_table(requests: &[ResourceRequest], wide: bool) -> Table {
    let mut head = vec!["ID", "STATE", "WORKSPACE", "BY", "MODE", "SIZE", "CONFIG", "REASON"];
    if wide {
        head.extend(["SUPPLY", "MADE", "DECIDED BY", "NOTE"]);
    }
    let mut table = Table::new(&head);
    for request in requests {
        let mut row = vec![
            Cell::from(&request.id),
            Cell::from(request.state.word()),
            Cell::from(&request.workspace),
            Cell::from(&request.by),
            Cell::from(mode(request.reserved.as_ref())),
            Cell::from(size(request.reserved.as_ref(), request.by_usage.as_ref())),
            Cell::maybe(request.config.as_ref()),
            Cell::from(&request.reason),
        ];
        if wide {
            row.extend([
                Cell::from(&request.supply),
                Cell::from(request.made_at),
                Cell::maybe(request.decided_by.as_ref()),
                Cell::maybe(request.note.as_ref()),
            ]);
        }
        table.row(row);
    }
    table
}

pub(super) fn request_text(request: &ResourceRequest) -> String {
    let mut facts = Facts::default();
    facts
        .add("id", &request.id)
        .add("state", request.state.word())
        .add("workspace", &request.workspace)
        .add("by", &request.by)
        .add("made", request.made_at)
        .add("supply", &request.supply);
    terms(&mut facts, request.reserved.as_ref(), request.by_usage.as_ref());
    facts
        .add("reason", &request.reason)
        .add("lends", request.lend)
        .add("cap", format!("{}%", request.cap))
        .maybe("config", request.config.as_ref())
        .maybe("decided by", request.decided_by.as_ref())
        .maybe("decided", request.decided_at)
        .maybe("note", request.note.as_ref());
    facts.text()
}

pub(super) fn config_table(configs: &[ResourceConfig], wide: bool) -> Table {
    let mut head = vec!["ID", "STATE", "WORKSPACE", "MODE", "SIZE", ">HELD", ">USED", ">TASKS", "UNTIL"];
    if wide {
        head.extend(["BY", "SUPPLY", ">WAITING", "START", "REQUEST"]);
    }
    let mut table = Table::new(&head);
    for config in configs {
        let mut row = vec![
            Cell::from(&config.id),
            Cell::from(config.state.word()),
            Cell::from(&config.workspace),
            Cell::from(mode(config.reserved.as_ref())),
            Cell::from(size(config.reserved.as_ref(), config.by_usage.as_ref())),
            Cell::maybe(config.held.as_ref().map(|held| amounts(&held.amount))),
            Cell::from(percent(config.utilisation)),
            Cell::from(config.running),
            Cell::maybe(config.period.and_then(|period| period.end).or(config.ended_at)),
        ];
        if wide {
            row.extend([
                Cell::from(&config.by),
                Cell::from(&config.supply),
                Cell::from(config.waiting),
                Cell::maybe(config.period.map(|period| period.start)),
                Cell::from(&config.request),
            ]);
        }
        table.row(row);
    }
    table
}

pub(super) fn config_text(config: &ResourceConfig) -> String {
    let mut facts = Facts::default();
    facts
        .add("id", &config.id)
        .add("state", config.state.word())
        .add("workspace", &config.workspace)
        .add("by", format!("{} ({})", config.by, config.request))
        .add("created", config.created_at)
        .add("supply", &config.supply);
    terms(&mut facts, config.reserved.as_ref(), config.by_usage.as_ref());
    facts.add("lends", config.lend).add("cap", format!("{}%", config.cap));
    if let Some(held) = &config.held {
        facts.add("held", amounts(&held.amount)).add("since", held.since);
    }
    if let Some(period) = config.period.filter(|_| config.held.is_none()) {
        facts.add("next period", period.start);
    }
    facts
        .add("used", amounts(&config.used))
        .add("utilisation", percent(config.utilisation))
        .add("running", config.running)
        .add("waiting", config.waiting)
        .maybe("ended", config.ended_at);
    facts.text()
}
