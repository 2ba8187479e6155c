//! Commands that nobody would give: ids that do not exist, amounts beyond all bounds, odd names.

use proptest::prelude::*;
use tidegate_engine::caps::{Cap, Holder, Limit, Owner, RoleSet};
use tidegate_engine::ids::{
    MemberId, ModelId, NodeId, PoolId, QuotaId, RoleId, Span, Tick, WorkloadId, WorkspaceId,
};
use tidegate_engine::nodes::{NodeSpec, NodeState};
use tidegate_engine::policy::{QuotaSpec, Source};
use tidegate_engine::resources::{DIMENSIONS, ModelSet, Resources, Shape};
use tidegate_engine::words::{IdleUse, Mode, Module, ModuleSet, OnPreempt, PoolKind, PrioritySet};
use tidegate_engine::workload::{Role, WorkloadSpec};
use tidegate_engine::{Command, PolicyChange};

use crate::world;

/// Small numbers often, so that things are met that exist; the ends of the range, so that sums overflow.
fn id() -> impl Strategy<Value = u32> {
    prop_oneof![6 => 0..4_u32, 1 => any::<u32>(), 1 => Just(u32::MAX)]
}

fn count() -> impl Strategy<Value = u32> {
    prop_oneof![5 => 0..5_u32, 1 => any::<u32>(), 1 => prop::sample::select(vec![16_384, 16_385, u32::MAX])]
}

fn milli() -> impl Strategy<Value = u32> {
    prop_oneof![
        4 => prop::sample::select(vec![0, 1, 500, 999, 1_000, 8_000]),
        2 => prop::sample::select(vec![1_001, 1_500, 4_096_000, 4_097_000, u32::MAX, u32::MAX - 295]),
        1 => any::<u32>(),
    ]
}

fn bytes() -> impl Strategy<Value = u64> {
    prop_oneof![
        4 => prop::sample::select(vec![0, 1, 1 << 30, 64 << 30]),
        2 => prop::sample::select(vec![1 << 39, (1 << 39) + 1, 1 << 53, (1 << 53) + 1, i64::MAX as u64, u64::MAX]),
        1 => any::<u64>(),
    ]
}

fn amount() -> impl Strategy<Value = i64> {
    prop_oneof![
        6 => Just(0),
        6 => (0..9_i64).prop_map(|n| n * 1_000),
        1 => prop::sample::select(vec![-1, -8_000, 1 << 53, (1 << 53) + 1, i64::MAX, i64::MIN]),
        1 => any::<i64>(),
    ]
}

fn resources() -> impl Strategy<Value = Resources> {
    let first = (amount(), amount(), amount(), amount());
    let odd = prop::option::weighted(0.2, (0..DIMENSIONS, amount()));
    (first, odd).prop_map(|((gpu, other, cpu, memory), odd)| {
        let mut r = Resources::default();
        (r.0[0], r.0[1], r.0[DIMENSIONS - 2], r.0[DIMENSIONS - 1]) = (gpu, other, cpu, memory);
        if let Some((d, a)) = odd {
            r.0[d] = a;
        }
        r
    })
}

fn name() -> impl Strategy<Value = Box<str>> {
    let odd = [
        "",
        " ",
        "-x",
        ".x",
        "a b",
        "a/b",
        "é",
        "名前",
        "a\n",
        "a\0b",
        "../..",
        "%s",
        "\u{202e}x",
        "#1",
        "?",
    ];
    let long = prop_oneof![Just(63), Just(64), Just(5_000)].prop_map(|n: usize| "x".repeat(n));
    let usual = (0..4_u32).prop_map(|n| format!("x{n}"));
    prop_oneof![4 => usual, 2 => prop::sample::select(odd.to_vec()).prop_map(String::from), 1 => long]
        .prop_map(String::into_boxed_str)
}

fn span() -> impl Strategy<Value = Span> {
    prop_oneof![4 => world::span(), 1 => Just(Span(u64::MAX)), 1 => any::<u64>().prop_map(Span)]
}

fn modules() -> impl Strategy<Value = ModuleSet> {
    prop::collection::vec(prop::sample::select(Module::ALL), 0..4)
        .prop_map(|m| m.into_iter().fold(ModuleSet::default(), ModuleSet::with))
}

fn policy() -> impl Strategy<Value = tidegate_engine::policy::Policy> {
    (world::policy(), span(), span(), span(), span()).prop_map(|(mut policy, a, b, c, d)| {
        (policy.queue.patience, policy.queue.aging_step, policy.queue.starvation_guard, policy.protect_for) =
            (a, b, c, d);
        policy
    })
}

fn spec() -> impl Strategy<Value = WorkloadSpec> {
    let role = (count(), milli(), milli(), bytes())
        .prop_map(|(replicas, gpu, cpu, memory)| Role { replicas, shape: Shape { gpu, cpu, memory } });
    let what = (name(), id(), prop::sample::select(Module::ALL), world::priority());
    let size = (
        prop::collection::vec(role, 0..10),
        prop::option::weighted(0.3, count()),
        prop_oneof![4 => Just(0), 1 => any::<u16>()],
    );
    let nodes = prop::option::weighted(0.2, prop::collection::vec(id().prop_map(NodeId), 0..4));
    let how = (
        prop::sample::select(IdleUse::ALL),
        span(),
        any::<bool>(),
        count(),
        prop::sample::select(OnPreempt::ALL),
    );
    let owner = prop::option::of(
        (0..3_u32, role_id())
            .prop_map(|(member, role)| Owner { member: MemberId(member), roles: RoleSet::NONE.with(role) }),
    );
    (what, size, nodes, how, prop::option::weighted(0.3, span()), id(), owner).prop_map(
        |(what, size, nodes, how, max_run, workspace, owner)| WorkloadSpec {
            name: what.0,
            quota: QuotaId(what.1),
            workspace: WorkspaceId(workspace),
            owner,
            module: what.2,
            priority: what.3,
            roles: size.0.into_iter().collect(),
            min_replicas: size.1,
            models: ModelSet(size.2),
            nodes: nodes.map(Vec::into_boxed_slice),
            idle: how.0,
            grace: how.1,
            suspend: how.2,
            restarts: how.3,
            on_preempt: how.4,
            max_run,
        },
    )
}

fn role_id() -> impl Strategy<Value = RoleId> {
    prop_oneof![6 => 0..3_u8, 1 => Just(63), 1 => Just(64), 1 => any::<u8>()].prop_map(RoleId)
}

fn caps() -> impl Strategy<Value = Vec<Cap>> {
    let amount = || prop::option::of(prop_oneof![6 => 0..20_000_i64, 1 => Just(-1), 1 => any::<i64>()]);
    let holder = prop_oneof![
        (0..3_u32).prop_map(|member| Holder::Member(MemberId(member))),
        role_id().prop_map(Holder::Role)
    ];
    let priorities = prop::collection::vec(world::priority(), 0..4)
        .prop_map(|p| p.into_iter().fold(PrioritySet::default(), PrioritySet::with));
    let cap = (holder, priorities, amount(), amount(), amount()).prop_map(
        |(holder, priorities, gpu, cpu, memory)| Cap {
            holder,
            priorities,
            limit: Limit { gpu, cpu, memory },
        },
    );
    prop::collection::vec(cap, 0..3)
}

fn change() -> impl Strategy<Value = PolicyChange> {
    (policy(), any::<u8>()).prop_map(|(p, which)| PolicyChange {
        strategy: (which & 1 > 0).then_some(p.queue.strategy),
        patience: (which & 2 > 0).then_some(p.queue.patience),
        aging_step: (which & 4 > 0).then_some(p.queue.aging_step),
        starvation_guard: (which & 8 > 0).then_some(p.queue.starvation_guard),
        idle_sharing: (which & 16 > 0).then_some(p.idle_sharing),
        protect_for: (which & 32 > 0).then_some(p.protect_for),
        child_level: (which & 64 > 0).then_some(p.child_level),
        self_level: (which & 128 > 0).then_some(p.self_level),
    })
}

fn node() -> impl Strategy<Value = Command> {
    let model = prop_oneof![3 => Just(Some("H100".into())), 1 => Just(None), 1 => name().prop_map(Some)];
    let size =
        (prop_oneof![4 => 0..9_u32, 1 => Just(4_096), 1 => Just(4_097), 1 => any::<u32>()], bytes(), bytes());
    (id(), name(), model, size, prop::option::of(any::<u8>())).prop_map(
        |(pool, name, model, (gpus, cpu, memory), given)| {
            let spec = NodeSpec { name, model: given.map(ModelId), gpus, cpu, memory };
            Command::AddNode { pool: PoolId(pool as u16), model, spec }
        },
    )
}

pub fn command() -> impl Strategy<Value = Command> {
    let mode = || prop::sample::select(Mode::ALL);
    let workload = || id().prop_map(WorkloadId);
    let quota = || id().prop_map(QuotaId);
    let node_id = || (id(), id()).prop_map(|(p, n)| (PoolId(p as u16), NodeId(n)));
    let state = prop::sample::select(vec![NodeState::Ready, NodeState::Cordoned, NodeState::Lost]);
    let source = prop_oneof![
        id().prop_map(|p| Source::Pool(PoolId(p as u16))),
        id().prop_map(|q| Source::Parent(QuotaId(q)))
    ];
    let tick = prop_oneof![3 => 0..100_000_u64, 1 => Just(u64::MAX), 1 => any::<u64>()].prop_map(Tick);
    prop_oneof![
        1 => name().prop_map(|name| Command::CreatePool { name, kind: PoolKind::Lingjun }),
        2 => node(),
        1 => node_id().prop_map(|(pool, node)| Command::RemoveNode { pool, node }),
        1 => (node_id(), any::<u16>(), any::<bool>(), name()).prop_map(|((pool, node), device, out, reason)| {
            Command::SetDevice { pool, node, device, out, reason }
        }),
        2 => (node_id(), state, name()).prop_map(|((pool, node), state, reason)| Command::SetNode { pool, node, state, reason }),
        1 => (node_id(), modules()).prop_map(|((pool, node), modules)| Command::DrainNode { pool, node, modules }),
        3 => (name(), source, resources(), policy()).prop_map(|(name, source, guarantee, policy)| {
            Command::CreateQuota(Box::new(QuotaSpec { name, source, guarantee, policy }))
        }),
        2 => (quota(), change()).prop_map(|(quota, change)| Command::SetPolicy { quota, change }),
        2 => (quota(), resources(), mode()).prop_map(|(quota, guarantee, mode)| Command::Scale { quota, guarantee, mode }),
        2 => (quota(), quota(), resources(), mode()).prop_map(|(from, to, amount, mode)| Command::Transfer { from, to, amount, mode }),
        1 => quota().prop_map(|quota| Command::DeleteQuota { quota }),
        3 => (id(), quota(), caps()).prop_map(|(workspace, quota, caps)| Command::SetCaps {
            workspace: WorkspaceId(workspace),
            quota,
            caps,
        }),
        10 => spec().prop_map(|spec| Command::Submit(Box::new(spec))),
        1 => workload().prop_map(|workload| Command::Stop { workload }),
        1 => workload().prop_map(|workload| Command::Restart { workload }),
        1 => (workload(), world::priority()).prop_map(|(workload, priority)| Command::SetPriority { workload, priority }),
        2 => (workload(), count()).prop_map(|(workload, replicas)| Command::Resize { workload, replicas }),
        1 => workload().prop_map(|workload| Command::Forget { workload }),
        2 => workload().prop_map(|workload| Command::Finished { workload }),
        1 => workload().prop_map(|workload| Command::Failed { workload }),
        2 => prop::collection::vec((workload(), count()), 0..4).prop_map(|units| Command::Released { units }),
        1 => (workload(), tick).prop_map(|(workload, saved_at)| Command::Checkpointed { workload, saved_at }),
        1 => Just(Command::Wake),
    ]
}

/// When it is given: mostly a little later, sometimes long ago or at the end of time.
pub fn moment() -> impl Strategy<Value = u64> {
    prop_oneof![8 => 0..60_000_u64, 1 => Just(0), 1 => Just(u64::MAX), 1 => any::<u64>()]
}
