//! Commands and events as people read them: one line each.

use tidegate_engine::amounts::{Amount, amounts};
use tidegate_engine::event::{Event, EventKind};
use tidegate_engine::ids::{QuotaId, WorkloadId};
use tidegate_engine::policy::{ChildLevel, Policy, SelfLevel, Source};
use tidegate_engine::reason::Names;
use tidegate_engine::resources::Resources;
use tidegate_engine::unit::{Draws, Grant};
use tidegate_engine::words::IdleUse;
use tidegate_engine::workload::WorkloadSpec;
use tidegate_engine::{Command, Engine};

const MODELS: &[&str] = &["m0", "m1", "m2"];

fn amount(r: &Resources) -> String {
    let models: Vec<Box<str>> = MODELS.iter().map(|m| Box::from(*m)).collect();
    amounts(r, r, &models)
}

fn child(p: &ChildLevel) -> String {
    format!("{}:{}", p.victims(), p.modules())
}

fn own(p: &SelfLevel) -> String {
    format!("{}>{}:{}:{}", p.high(), p.low(), p.modules(), p.scope())
}

fn policy(p: &Policy) -> String {
    let mut text = format!(
        "queue={} patience={}ms aging-step={}ms starvation-guard={}ms",
        p.queue.strategy, p.queue.patience.0, p.queue.aging_step.0, p.queue.starvation_guard.0
    );
    if !p.idle_sharing {
        text += " idle-sharing=off";
    }
    if p.protect_for.0 > 0 {
        text += &format!(" protect-for={}ms", p.protect_for.0);
    }
    text += &p.child_level.as_ref().map(|c| format!(" child={}", child(c))).unwrap_or_default();
    text += &p.self_level.as_ref().map(|s| format!(" self={}", own(s))).unwrap_or_default();
    text
}

pub fn submission(names: &Engine, s: &WorkloadSpec) -> String {
    let mut text = format!("submit {} {} {} p{} ", s.name, names.quota_name(s.quota), s.module, s.priority);
    let roles = s.roles.iter().map(|r| {
        let size = format!("{}x{}", r.replicas, Amount::milli(i64::from(r.shape.gpu)));
        let (cpu, memory) = (Amount::milli(i64::from(r.shape.cpu)), Amount::bytes(r.shape.memory as i64));
        format!("{size}(cpu={cpu} memory={memory})")
    });
    text += &roles.collect::<Vec<_>>().join("+");
    text += &s.min_replicas.map(|m| format!(" min={m}")).unwrap_or_default();
    if s.idle != IdleUse::Never {
        text += &format!(" idle={}", s.idle);
    }
    text += &format!(" grace={}ms", s.grace.0);
    if s.suspend {
        text += " suspend";
    }
    if s.restarts > 0 {
        text += &format!(" restarts={}", s.restarts);
    }
    text += &format!(" on-preempt={} workspace={}", s.on_preempt, s.workspace.0);
    text += &s.max_run.map(|m| format!(" max-run={}ms", m.0)).unwrap_or_default();
    if s.models.0 != 0 {
        text += &format!(" models={:b}", s.models.0);
    }
    text += &s
        .nodes
        .as_ref()
        .map(|n| format!(" nodes={:?}", n.iter().map(|n| n.0).collect::<Vec<_>>()))
        .unwrap_or_default();
    text
}

/// A command, with the names that the engine knew before it.
pub fn command(names: &Engine, command: &Command) -> String {
    let quota = |q: &QuotaId| names.quota_name(*q).to_string();
    let workload = |w: &WorkloadId| names.workload_name(*w).to_string();
    match command {
        Command::CreatePool { name, .. } => format!("pool {name}"),
        Command::AddNode { model, spec, .. } => format!(
            "add node {} {}x {} cpu={} memory={}",
            spec.name,
            spec.gpus,
            model.as_deref().unwrap_or("none"),
            Amount::milli(spec.cpu as i64),
            Amount::bytes(spec.memory as i64)
        ),
        Command::RemoveNode { node, .. } => format!("remove node #{}", node.0),
        Command::SetDevice { node, device, out, .. } => {
            format!("GPU {device} of node #{} {}", node.0, if *out { "out" } else { "back" })
        }
        Command::SetNode { node, state, .. } => format!("node #{} {state:?}", node.0),
        Command::DrainNode { node, modules, .. } => format!("drain node #{} of {modules}", node.0),
        Command::CreateQuota(spec) => {
            let from = match &spec.source {
                Source::Pool(_) => "pool".to_string(),
                Source::Parent(parent) => quota(parent),
            };
            format!("quota {} {} from {from} {}", spec.name, amount(&spec.guarantee), policy(&spec.policy))
        }
        Command::SetPolicy { quota: q, change } => {
            let mut text = format!("set {}", quota(q));
            text += &change.strategy.map(|s| format!(" queue={s}")).unwrap_or_default();
            for (name, value) in [
                ("patience", change.patience),
                ("aging-step", change.aging_step),
                ("starvation-guard", change.starvation_guard),
                ("protect-for", change.protect_for),
            ] {
                text += &value.map(|v| format!(" {name}={}ms", v.0)).unwrap_or_default();
            }
            text += &change.idle_sharing.map(|i| format!(" idle-sharing={i}")).unwrap_or_default();
            let off = || "off".to_string();
            text += &change
                .child_level
                .map(|c| format!(" child={}", c.as_ref().map_or_else(off, child)))
                .unwrap_or_default();
            text += &change
                .self_level
                .map(|s| format!(" self={}", s.as_ref().map_or_else(off, own)))
                .unwrap_or_default();
            text
        }
        Command::Scale { quota: q, guarantee, mode } => {
            format!("scale {} {} {mode}", quota(q), amount(guarantee))
        }
        Command::Transfer { from, to, amount: a, mode } => {
            format!("transfer {} {} {} {mode}", amount(a), quota(from), quota(to))
        }
        Command::DeleteQuota { quota: q } => format!("delete {}", quota(q)),
        Command::SetCaps { workspace, quota: q, caps } => {
            format!("caps of workspace #{} in {}: {caps:?}", workspace.0, quota(q))
        }
        Command::Submit(spec) => submission(names, spec),
        Command::Restart { workload: w } => format!("restart {}", workload(w)),
        Command::Stop { workload: w } => format!("stop {}", workload(w)),
        Command::SetPriority { workload: w, priority } => format!("priority {} p{priority}", workload(w)),
        Command::Resize { workload: w, replicas } => format!("resize {} {replicas}", workload(w)),
        Command::Forget { workload: w } => format!("forget {}", workload(w)),
        Command::Finished { workload: w } => format!("finish {}", workload(w)),
        Command::Failed { workload: w } => format!("fail {}", workload(w)),
        Command::Released { units } => {
            let units: Vec<_> = units.iter().map(|(w, n)| format!("{}/{n}", workload(w))).collect();
            format!("released {}", units.join(" "))
        }
        Command::Checkpointed { workload: w, saved_at } => {
            format!("checkpoint {} at {}ms", workload(w), saved_at.0)
        }
        Command::Wake => "wake".into(),
    }
}

fn draws(names: &Engine, draws: &Draws) -> String {
    let one = |d: &tidegate_engine::unit::Draw| {
        format!("{}:{}#{} ({}, {})", names.quota_name(d.account), d.amount, d.dimension.0, d.rule, d.class)
    };
    draws.iter().map(one).collect::<Vec<_>>().join(" ")
}

fn grant(names: &Engine, g: &Grant) -> String {
    let slots: Vec<_> = g.slots.iter().map(|s| format!("n{}{:?}", s.node.0, s.devices)).collect();
    format!("/{} {} on {}", g.unit, draws(names, &g.draws), slots.join(","))
}

/// An event, with the names that the engine knows after it.
pub fn event(names: &Engine, event: &Event) -> String {
    let name = |w: &WorkloadId| names.workload_name(*w).to_string();
    let grants = |all: &[Grant]| all.iter().map(|g| grant(names, g)).collect::<Vec<_>>().join("; ");
    match &event.kind {
        EventKind::Queued { workload, reasons, .. } => {
            format!("{} queued, {} reasons", name(workload), reasons.len())
        }
        EventKind::Started { workload, kind, replicas, grants: g } => {
            format!("{} {kind:?} {replicas} replicas: {}", name(workload), grants(g))
        }
        EventKind::Held { workload, grants: g } => format!("{} held: {}", name(workload), grants(g)),
        EventKind::Evicted { workload, units, exit, replicas, cause, .. } => {
            let by = cause.by.as_ref().map_or("an operator".to_string(), name);
            format!(
                "{}{units:?} evicted by {by} ({}, {}), {exit:?}, {replicas} left, lost {}",
                name(workload),
                cause.rule,
                cause.class,
                cause.lost
            )
        }
        EventKind::Released { workload, units, requeued } => {
            format!("{}{units:?} released{}", name(workload), if *requeued { ", requeued" } else { "" })
        }
        EventKind::Moved { workload, unit, draws: d } => {
            format!("{}/{unit} moved {}", name(workload), draws(names, d))
        }
        EventKind::QuotaScaled { quota, from, to, .. } => {
            format!("{} scaled {} -> {}", names.quota_name(*quota), amount(from), amount(to))
        }
        EventKind::Overdrawn { quota, by } => {
            format!("{} overdrawn by {}", names.quota_name(*quota), amount(by))
        }
        EventKind::Settled { quota } => format!("{} settled", names.quota_name(*quota)),
        EventKind::QuotaCreated { .. } | EventKind::PolicySet { .. } | EventKind::NodeAdded { .. } => {
            "done".into()
        }
        EventKind::PassedOver { workload } => format!("{} passed over", name(workload)),
        EventKind::Reserved { workload, accounts, nodes } => {
            format!("{} reserved {} on {nodes:?}", name(workload), draws(names, accounts))
        }
        EventKind::HoldLost { workload, units, by } => {
            format!(
                "{}{units:?} lost its hold to {}",
                name(workload),
                by.as_ref().map_or("nobody".to_string(), name)
            )
        }
        EventKind::Lost { workload, units, node, replicas } => {
            format!("{}{units:?} lost with node #{}, {replicas} left", name(workload), node.0)
        }
        other => format!("{other:?}"),
    }
}
