//! Whatever can be specified reads as it is written, in JSON and in YAML.

#![allow(clippy::unwrap_used, reason = "a test")]

use proptest::collection::{btree_map, vec};
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;
use tidegate_api::amounts::Guarantee;
use tidegate_api::by_model::ByModel;
use tidegate_api::decimal::{Cores, Gpus};
use tidegate_api::duration::Duration;
use tidegate_api::manifest::{Format, Manifest, read};
use tidegate_api::memory::Memory;
use tidegate_api::name::Name;
use tidegate_api::priorities::{Priorities, Priority};
use tidegate_api::quota::{ChildLevel, NewQuota, Preemption, QueueSpec, QuotaSpec, SelfLevel, Victims};
use tidegate_api::resource::NewMetadata;
use tidegate_api::words::{IdleUse, Module, OnPreempt, Scope, Strategy as QueueStrategy};
use tidegate_api::workload::{
    NewWorkload, ReplicaResources, RoleSpec, VirtualRun, WorkloadMetadata, WorkloadSpec,
};
use tidegate_engine::ids::Span;
use tidegate_engine::words;

fn name() -> impl Strategy<Value = Name> {
    "[A-Za-z0-9][A-Za-z0-9._-]{0,20}".prop_filter_map("a name that is no uid", |text| {
        (!text.starts_with("w-")).then(|| Name::new(&text).unwrap())
    })
}

fn gpus() -> impl Strategy<Value = Gpus> {
    (0..=1_000_000_000_000i64).prop_map(|milli| Gpus::from_milli(milli).unwrap())
}

fn cores() -> impl Strategy<Value = Cores> {
    (0..=1_000_000i64).prop_map(|milli| Cores::from_milli(milli).unwrap())
}

fn memory() -> impl Strategy<Value = Memory> {
    (0..=1u64 << 53).prop_map(|bytes| Memory::new(bytes).unwrap())
}

fn duration() -> impl Strategy<Value = Duration> {
    (1..=86_400_000u64).prop_map(|ms| Duration::of(Span(ms)))
}

fn priorities() -> impl Strategy<Value = Priorities> {
    (1u16..512).prop_map(|bits| {
        let members = words::Priority::all().filter(|p| bits & (1 << (p.get() - 1)) != 0);
        Priorities::new(members.fold(Default::default(), words::PrioritySet::with)).unwrap()
    })
}

fn victims() -> impl Strategy<Value = Victims> {
    let modules = vec(select(words::Module::ALL).prop_map(Module), 1..4);
    (priorities(), modules).prop_map(|(priorities, modules)| Victims { priorities, modules })
}

fn guarantee() -> impl Strategy<Value = Guarantee> {
    let gpu =
        prop_oneof![gpus().prop_map(ByModel::One), btree_map(name(), gpus(), 1..4).prop_map(ByModel::Each),];
    (gpu, of(cores()), of(memory())).prop_map(|(gpu, cpu, memory)| Guarantee { gpu, cpu, memory })
}

fn quota() -> impl Strategy<Value = QuotaSpec> {
    let strategy = of(select(words::Strategy::ALL).prop_map(QueueStrategy));
    let queue = (strategy, of(duration()), of(duration()), of(duration())).prop_map(
        |(strategy, patience, aging_step, starvation_guard)| QueueSpec {
            strategy,
            patience,
            aging_step,
            starvation_guard,
        },
    );
    let scope = of(select(words::Scope::ALL).prop_map(Scope));
    let own = (priorities(), victims(), scope).prop_map(|(preemptors, victims, scope)| SelfLevel {
        preemptors,
        victims,
        scope,
    });
    let child = victims().prop_map(|victims| ChildLevel { victims });
    let preemption =
        (of(own), of(child)).prop_map(|(self_level, child_level)| Preemption { self_level, child_level });
    let source = (any::<bool>(), name());
    (source, guarantee(), of(queue), of(any::<bool>()), of(duration()), of(preemption)).prop_map(
        |((root, source), guarantee, queue, idle_sharing, protect_for, preemption)| QuotaSpec {
            shared: queue
                .as_ref()
                .is_some_and(|q| q.strategy == Some(QueueStrategy(words::Strategy::Fair)))
                .then_some(true),
            dedicated: None,
            pool: root.then(|| source.clone()),
            parent: (!root).then_some(source),
            guarantee,
            queue,
            idle_sharing,
            protect_for,
            preemption,
        },
    )
}

fn resources() -> impl Strategy<Value = ReplicaResources> {
    (of(gpus()), of(cores()), of(memory())).prop_map(|(gpu, cpu, memory)| ReplicaResources {
        gpu,
        cpu,
        memory,
    })
}

/// Text with all that JSON and YAML have to quote.
fn text() -> impl Strategy<Value = String> {
    "[ -~äß\n\t]{0,12}"
}

fn workload() -> impl Strategy<Value = WorkloadSpec> {
    let roles = btree_map(name(), (1..100u32, resources()), 0..4).prop_map(|roles| {
        let role = |(name, (replicas, resources))| RoleSpec { name, replicas, resources };
        roles.into_iter().map(role).collect::<Vec<_>>()
    });
    let size = (of(1..16_384u32), of(resources()), roles, of(1..100u32));
    let place = (of(name()), vec(name(), 0..3), vec(name(), 0..3), of((1..=9u8).prop_map(priority)));
    let command = ("[a-z]{1,8}", vec(text(), 0..4)).prop_map(|(program, mut arguments)| {
        arguments.insert(0, program);
        arguments
    });
    let launch = (command, btree_map("[A-Z_]{1,8}", text(), 0..4), of("/[a-z/]{0,12}"));
    let played = (of(duration()), of(duration()), any::<bool>(), of(1..=255u8))
        .prop_map(|(duration, checkpoint, hang, fails)| VirtualRun { duration, checkpoint, hang, fails });
    let words = (
        of(select(words::Module::ALL).prop_map(Module)),
        of(select(words::IdleUse::ALL).prop_map(IdleUse)),
        of(select(words::OnPreempt::ALL).prop_map(OnPreempt)),
    );
    let run = (of(duration()), of(duration()), of(any::<bool>()), of(0..100u32), of(played));
    (size, place, launch, words, run).prop_map(|(size, place, launch, words, run)| {
        let many = !size.2.is_empty();
        WorkloadSpec {
            quota: place.0,
            workspace: None,
            visibility: None,
            module: words.0,
            priority: place.3,
            replicas: size.0.filter(|_| !many),
            min_replicas: size.3,
            // Stands for resources.
            size: None,
            resources: size.1.filter(|_| !many),
            roles: size.2,
            gpu_models: place.1,
            nodes: place.2,
            idle: words.1,
            grace_period: run.0,
            suspend: run.2,
            restarts: run.3,
            on_preempt: words.2,
            max_run_time: run.1,
            // These go with certain modules; `bodies` has them.
            idle_timeout: None,
            readiness: None,
            command: launch.0,
            env: launch.1,
            working_dir: launch.2,
            virtual_run: run.4,
            task: None,
        }
    })
}

fn priority(value: u8) -> Priority {
    Priority(words::Priority::new(value).unwrap())
}

/// JSON and YAML say the same, and what they say is what was written.
fn reads_as_written(manifest: Manifest) -> Result<(), TestCaseError> {
    let json = serde_json::to_string(&manifest).unwrap();
    prop_assert_eq!(read(json.as_bytes(), Format::Json), Ok(vec![manifest.clone()]));
    let yaml = serde_saphyr::to_string(&manifest).unwrap();
    let found = read(yaml.as_bytes(), Format::Yaml);
    prop_assert_eq!(found, Ok(vec![manifest]), "{}", yaml);
    Ok(())
}

proptest! {
    #[test]
    fn quotas(name in name(), spec in quota()) {
        reads_as_written(Manifest::Quota(NewQuota::new(NewMetadata::named(name), spec)))?;
    }

    #[test]
    fn workloads(name in name(), spec in workload()) {
        let metadata = WorkloadMetadata { name: Some(name), ..WorkloadMetadata::default() };
        reads_as_written(Manifest::Workload(NewWorkload::new(metadata, spec)))?;
    }
}
