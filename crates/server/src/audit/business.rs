//! Price books, templates and what else bills need, as they are shown.

use super::record::user;
use crate::core::world::World;
use serde_json::{Value, json};
use tidegate_api::time::Time;
use tidegate_billing::Record;
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
    }
}

/// What it is called. Quotas may be under seal.
pub(super) fn name(world: &World, record: &Record) -> String {
    match record {
        Record::PriceBook(book) => book.name.to_string(),
        Record::Template(template) => template.name.to_string(),
        Record::Compute(compute) => world.quota_name(compute.quota).into_owned(),
        Record::Correction(correction) => format!("cor-{}", correction.id.0),
    }
}

/// The workspace that it belongs to.
pub(super) fn room(record: &Record) -> Option<WorkspaceId> {
    match record {
        Record::PriceBook(_) | Record::Compute(_) => None,
        Record::Template(template) => template.workspace,
        Record::Correction(correction) => Some(correction.workspace),
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
    json!({"version": version.number, "command": version.command, "limits": version.limits})
}
