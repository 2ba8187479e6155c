//! Price books, templates and what else bills need, as they are shown.

use super::record::user;
use crate::budgets::written;
use crate::core::world::World;
use crate::dedicated::wire;
use serde_json::{Value, json};
use tidegate_api::time::Time;
use tidegate_billing::Record;
use tidegate_billing::dedicated::RequestState;
use tidegate_billing::price::PriceVersion;
use tidegate_billing::record::ComputeKind;
use tidegate_billing::template::TemplateVersion;
use tidegate_engine::ids::WorkspaceId;
use tidegate_engine::reason::Names;

/// What kind of thing a record is.
pub(super) fn kind(record: &Record) -> &'static str {
    match record {
        Record::PriceBook(_) => "price-book",
        Record::Template(_) => "template",
        Record::Compute(_) => "compute",
        Record::Correction(_) => "correction",
        Record::ResourceRequest(_) => "resource-request",
        Record::ResourceConfig(_) => "resource-config",
        Record::Budget(_) => "budget",
    }
}

/// What it is called. Quotas may be under seal.
pub(super) fn name(world: &World, record: &Record) -> String {
    match record {
        Record::PriceBook(book) => book.name.to_string(),
        Record::Template(template) => template.name.to_string(),
        Record::Compute(compute) => world.quota_name(compute.quota).into_owned(),
        Record::Correction(correction) => format!("cor-{}", correction.id.0),
        Record::ResourceRequest(request) => request.id.to_string(),
        Record::ResourceConfig(config) => config.id.to_string(),
        Record::Budget(budget) => world.room_name(budget.workspace).to_string(),
    }
}

/// The workspace that it belongs to.
pub(super) fn room(record: &Record) -> Option<WorkspaceId> {
    match record {
        Record::PriceBook(_) | Record::Compute(_) => None,
        Record::Template(template) => template.workspace,
        Record::Correction(correction) => Some(correction.workspace),
        Record::ResourceRequest(request) => Some(request.workspace),
        Record::ResourceConfig(config) => Some(config.workspace),
        Record::Budget(budget) => Some(budget.workspace),
    }
}

pub(super) fn shown(world: &World, record: &Record) -> Value {
    match record {
        Record::PriceBook(book) => json!({
            "currency": book.currency.code,
            "decimals": book.currency.decimals,
            "versions": book.versions.iter().map(version).collect::<Vec<_>>(),
        }),
        Record::Template(template) => json!({
            "description": template.description,
            "versions": template.versions.iter().map(template_version).collect::<Vec<_>>(),
            "aliases": template.aliases,
        }),
        Record::Compute(compute) => json!({
            "kind": match compute.kind {
                ComputeKind::Shared => "shared",
                ComputeKind::Dedicated => "dedicated",
            },
        }),
        Record::Correction(correction) => json!({
            "reason": correction.reason,
            "at": Time::of(correction.at),
            "user": user(world, correction.user),
            "workload": correction.workload.map(tidegate_api::uid::workload),
            "quota": world.quota_name(correction.account),
            "mode": correction.mode.word(),
            "resource": correction.resource.to_string(),
            "class": correction.class.word(),
            "quantity": correction.quantity.0.to_string(),
        }),
        Record::ResourceRequest(request) => json!({
            "supply": world.quota_name(request.supply),
            "reserved": wire::written(world, request.supply, &request.terms).0,
            "byUsage": wire::written(world, request.supply, &request.terms).1,
            "reason": request.reason,
            "lend": request.lend,
            "cap": request.cap,
            "state": request.state.word(),
            "config": match &request.state {
                RequestState::Approved { config, .. } => Some(config.to_string()),
                _ => None,
            },
            "note": match &request.state {
                RequestState::Approved { note, .. } | RequestState::Declined { note, .. } => Some(note),
                _ => None,
            },
        }),
        Record::ResourceConfig(config) => json!({
            "request": config.request.to_string(),
            "supply": world.quota_name(config.supply),
            "reserved": wire::written(world, config.supply, &config.terms).0,
            "byUsage": wire::written(world, config.supply, &config.terms).1,
            "lend": config.lend,
            "cap": config.cap,
            "held": config.hold.map(|hold| wire::amount_of(world, config.supply, &hold.amount)),
            "since": config.hold.map(|hold| Time::of(hold.since)),
            "until": config.hold.and_then(|hold| hold.until).map(Time::of),
            "endedAt": config.ended.map(Time::of),
        }),
        Record::Budget(budget) => json!({
            "amount": written(world, budget, budget.amount),
            "stop": budget.stop,
            "month": budget.spent.as_ref().map(|spent| Time::of(spent.month)),
            "spent": budget.spent.as_ref().map(|spent| written(world, budget, spent.due)),
            "reached": budget.spent.as_ref().map(|spent| spent.level),
        }),
    }
}

fn version(version: &PriceVersion) -> Value {
    let prices = version.tariffs.iter().map(|(mode, tariff)| {
        let gpu: Value =
            tariff.gpu.iter().map(|(model, price)| (model.to_string(), price.to_string())).collect();
        let shown = json!({
            "gpu": gpu,
            "cpu": tariff.cpu.map(|price| price.to_string()),
            "memory": tariff.memory.map(|price| price.to_string()),
            "idleDiscount": tariff.idle_discount,
        });
        (mode.word(), shown)
    });
    json!({"validFrom": Time::of(version.from), "prices": prices.collect::<Value>()})
}

/// Without its environment, which may hold secrets.
fn template_version(version: &TemplateVersion) -> Value {
    let mut shown = json!({"version": version.number, "command": version.command, "limits": version.limits});
    if let Some(warm) = &version.warm {
        shown["warm"] = json!(warm);
    }
    shown
}
