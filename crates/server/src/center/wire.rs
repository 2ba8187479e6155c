//! Policies as they are written, with names; and as they are kept, with numbers.

use tidegate_api::decimal::{Cores, Gpus};
use tidegate_api::duration::Duration;
use tidegate_api::memory::Memory;
use tidegate_api::name::Name;
use tidegate_api::pointer::Pointer;
use tidegate_api::policy::{
    IdlePolicy, NotebookPolicy, PolicySpec, PriorityLimit, SizePreset, TrainingPolicy, UseLimit,
};
use tidegate_api::priorities::{Priorities, Priority};
use tidegate_api::problem::{Code, Problem};
use tidegate_api::words::Module;
use tidegate_api::workload::ReplicaResources;
use tidegate_engine::caps::{Cap, Holder, Limit};
use tidegate_engine::ids::{MemberId, RoleId, Span, WorkspaceId};
use tidegate_engine::words::{self, ModuleSet, PrioritySet};
use tidegate_identity::People;
use tidegate_identity::policy::{Idleness, Policy, Preset};

/// What replicas have that name nothing.
const DEFAULT_CPU: u32 = 1_000;
const DEFAULT_MEMORY: u64 = 2 << 30;

/// Looks names up, and notes those that nobody has.
struct Reading<'a> {
    people: &'a People,
    room: WorkspaceId,
    /// Names of these are known, too, though they may have left: what was read can be sent back.
    present: Option<&'a Policy>,
    unknown: Vec<Pointer>,
}

impl Reading<'_> {
    fn role(&mut self, name: &Name, at: String) -> Option<RoleId> {
        let found = self.people.role_named(name);
        if found.is_none() {
            self.unknown.push(Pointer::new(at, format!("there is no role {name}")));
        }
        found
    }

    /// Users who are no members are nobody's business here, and answered like those who do not exist.
    fn member(&mut self, name: &Name, at: String) -> Option<MemberId> {
        let known = |id: &MemberId| {
            self.people.member(self.room, *id).is_some()
                || self.present.is_some_and(|policy| names(policy, *id))
        };
        let found = self.people.user_named(name).map(|user| user.id).filter(known);
        if found.is_none() {
            self.unknown.push(Pointer::new(at, format!("{name} is no member of the workspace")));
        }
        found
    }

    fn holder(&mut self, role: &Option<Name>, member: &Option<Name>, at: &str) -> Option<Holder> {
        match (role, member) {
            (Some(role), _) => self.role(role, format!("{at}/role")).map(Holder::Role),
            (None, Some(member)) => self.member(member, format!("{at}/member")).map(Holder::Member),
            (None, None) => None,
        }
    }
}

fn names(policy: &Policy, member: MemberId) -> bool {
    let is = |holder: &Holder| *holder == Holder::Member(member);
    policy.notebook_exempt.contains(&member)
        || policy.caps.iter().any(|cap| is(&cap.holder))
        || policy.max_priority.iter().any(|(holder, _)| is(holder))
}

/// Whether a policy is about a role.
pub fn mentions(policy: &Policy, role: RoleId) -> bool {
    let is = |holder: &Holder| *holder == Holder::Role(role);
    policy.roles.as_ref().is_some_and(|roles| roles.contains(&role))
        || policy.caps.iter().any(|cap| is(&cap.holder))
        || policy.max_priority.iter().any(|(holder, _)| is(holder))
}

fn modules(modules: &Option<Vec<Module>>) -> Option<ModuleSet> {
    modules
        .as_ref()
        .map(|modules| modules.iter().fold(ModuleSet::default(), |set, module| set.with(module.0)))
}

fn every_priority() -> PrioritySet {
    (1..=9).filter_map(words::Priority::new).fold(PrioritySet::default(), PrioritySet::with)
}

fn preset(preset: &SizePreset) -> Preset {
    let resources = &preset.resources;
    let whole = |milli: i64| u32::try_from(milli).unwrap_or(u32::MAX);
    Preset {
        name: preset.name.as_str().into(),
        modules: modules(&preset.modules),
        gpu: resources.gpu.map_or(0, |gpu| whole(gpu.milli())),
        cpu: resources.cpu.map_or(DEFAULT_CPU, |cpu| whole(cpu.milli())),
        memory: resources.memory.map_or(DEFAULT_MEMORY, Memory::bytes),
    }
}

/// What each replica of a size has.
pub fn resources(preset: &Preset) -> ReplicaResources {
    ReplicaResources {
        gpu: Gpus::from_milli(preset.gpu.into()),
        cpu: Cores::from_milli(preset.cpu.into()),
        memory: Memory::new(preset.memory).ok(),
    }
}

/// A policy to keep. Names that nobody has are pointed to, all of them.
pub fn to_policy(
    people: &People,
    room: WorkspaceId,
    present: Option<&Policy>,
    spec: &PolicySpec,
) -> Result<Policy, Problem> {
    let mut reading = Reading { people, room, present, unknown: Vec::new() };
    let mut caps = Vec::new();
    for (index, limit) in spec.limits.iter().enumerate() {
        let Some(holder) = reading.holder(&limit.role, &limit.member, &format!("/spec/limits/{index}"))
        else {
            continue;
        };
        let priorities = limit.priorities.map_or_else(every_priority, Priorities::set);
        let limit = Limit {
            gpu: limit.gpu.map(Gpus::milli),
            cpu: limit.cpu.map(Cores::milli),
            memory: limit.memory.map(Memory::amount),
        };
        caps.push(Cap { holder, priorities, limit });
    }
    let mut max_priority = Vec::new();
    for (index, limit) in spec.max_priority.iter().enumerate() {
        let holder = reading.holder(&limit.role, &limit.member, &format!("/spec/maxPriority/{index}"));
        max_priority.extend(holder.map(|holder| (holder, limit.priority.0)));
    }
    let mut roles = spec.roles.as_ref().map(|names| {
        let named = names.iter().enumerate();
        named.filter_map(|(i, name)| reading.role(name, format!("/spec/roles/{i}"))).collect::<Vec<_>>()
    });
    if let Some(roles) = &mut roles {
        roles.sort_unstable();
        roles.dedup();
    }
    let exempt = spec.notebook.exempt.iter().enumerate();
    let mut notebook_exempt: Vec<MemberId> = exempt
        .filter_map(|(index, name)| reading.member(name, format!("/spec/notebook/exempt/{index}")))
        .collect();
    notebook_exempt.sort_unstable();
    notebook_exempt.dedup();
    if !reading.unknown.is_empty() {
        let first = reading.unknown[0].detail.clone();
        let problem = Problem::new(Code::UnknownReference, first);
        return Err(Problem { pointers: reading.unknown, ..problem });
    }
    let span = |time: Option<Duration>| time.map(Duration::span);
    Ok(Policy {
        modules: modules(&spec.modules),
        roles,
        caps,
        max_priority,
        training_max_run: span(spec.training.max_run_time),
        training_max_wait: span(spec.training.max_wait),
        notebook_max_run: span(spec.notebook.max_run_time),
        notebook_max_wait: span(spec.notebook.max_wait),
        notebook_idle: spec.notebook.idle.map(|idle| Idleness {
            after: idle.after.span(),
            cpu_percent: idle.cpu_percent,
            gpu_percent: idle.gpu_percent,
        }),
        notebook_exempt,
        presets: spec.presets.iter().map(preset).collect(),
    })
}

/// A policy as it is written. Who no longer exists is left out.
pub fn of_policy(people: &People, policy: &Policy) -> PolicySpec {
    let there = |id: MemberId| people.user(id).and_then(|user| user.name.parse::<Name>().ok());
    written(people, policy, there)
}

/// A policy as it once was, with the names of those who are gone since.
pub fn told(people: &People, policy: &Policy) -> PolicySpec {
    written(people, policy, |id| people.user_name(id).and_then(|name| name.parse().ok()))
}

fn written(people: &People, policy: &Policy, member: impl Fn(MemberId) -> Option<Name>) -> PolicySpec {
    let role = |id: RoleId| people.role_name(id).parse::<Name>().ok();
    let holder = |holder: Holder| match holder {
        Holder::Role(id) => (role(id), None),
        Holder::Member(id) => (None, member(id)),
    };
    let known = |(role, member): &(Option<Name>, Option<Name>)| role.is_some() || member.is_some();
    let modules = |set: Option<ModuleSet>| set.map(|set| set.iter().map(Module).collect());
    let time = |span: Option<Span>| span.map(Duration::of);
    let limit = |cap: &Cap| {
        let (role, member) = Some(holder(cap.holder)).filter(known)?;
        Some(UseLimit {
            role,
            member,
            priorities: Priorities::new(cap.priorities).filter(|set| set.set() != every_priority()),
            gpu: cap.limit.gpu.and_then(Gpus::from_milli),
            cpu: cap.limit.cpu.and_then(Cores::from_milli),
            memory: cap.limit.memory.and_then(|bytes| Memory::new(u64::try_from(bytes).ok()?).ok()),
        })
    };
    let priority = |(of, most): &(Holder, words::Priority)| {
        let (role, member) = Some(holder(*of)).filter(known)?;
        Some(PriorityLimit { role, member, priority: Priority(*most) })
    };
    let preset = |preset: &Preset| {
        let (modules, resources) = (modules(preset.modules), resources(preset));
        Some(SizePreset { name: preset.name.parse().ok()?, modules, resources })
    };
    PolicySpec {
        modules: modules(policy.modules),
        roles: policy.roles.as_ref().map(|roles| roles.iter().filter_map(|id| role(*id)).collect()),
        limits: policy.caps.iter().filter_map(limit).collect(),
        max_priority: policy.max_priority.iter().filter_map(priority).collect(),
        training: TrainingPolicy {
            max_run_time: time(policy.training_max_run),
            max_wait: time(policy.training_max_wait),
        },
        notebook: NotebookPolicy {
            max_run_time: time(policy.notebook_max_run),
            max_wait: time(policy.notebook_max_wait),
            idle: policy.notebook_idle.map(|idle| IdlePolicy {
                after: Duration::of(idle.after),
                cpu_percent: idle.cpu_percent,
                gpu_percent: idle.gpu_percent,
            }),
            exempt: policy.notebook_exempt.iter().filter_map(|id| member(*id)).collect(),
        },
        presets: policy.presets.iter().filter_map(preset).collect(),
    }
}
