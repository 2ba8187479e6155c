//! The scheduling center: what a workspace allows its members in one of its quotas.

use serde::{Deserialize, Serialize};
use tidegate_engine::caps::{Cap, Holder};
use tidegate_engine::ids::{MemberId, RoleId, Span};
use tidegate_engine::words::{Module, ModuleSet, Priority};

/// Everything absent allows everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// Modules that may be submitted; `None`: all.
    pub modules: Option<ModuleSet>,
    /// Roles that may submit, ascending; `None`: all that may submit at all.
    pub roles: Option<Vec<RoleId>>,
    /// How much each may use at a time, by priority.
    pub caps: Vec<Cap>,
    /// The highest priority that each may submit with.
    pub max_priority: Vec<(Holder, Priority)>,
    /// A training job is stopped when it has run so long.
    pub training_max_run: Option<Span>,
    /// Somebody is told when a training job has waited so long.
    pub training_max_wait: Option<Span>,
    /// A notebook is stopped when it has run so long.
    pub notebook_max_run: Option<Span>,
    /// A notebook is stopped when it has waited so long.
    pub notebook_max_wait: Option<Span>,
    pub notebook_idle: Option<Idleness>,
    /// Whose notebooks are not stopped for idleness or run time, ascending.
    pub notebook_exempt: Vec<MemberId>,
    pub presets: Vec<Preset>,
}

/// A notebook is stopped when it has been below both for so long. Where the duty of GPUs is unknown, the cores count
/// alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Idleness {
    pub after: Span,
    /// Percent of the cores that it asked for.
    pub cpu_percent: u8,
    pub gpu_percent: u8,
}

/// A size to choose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preset {
    pub name: Box<str>,
    pub modules: Option<ModuleSet>,
    /// Thousandths.
    pub gpu: u32,
    /// Thousandths of a core.
    pub cpu: u32,
    /// Bytes.
    pub memory: u64,
}

impl Policy {
    /// The highest priority that a member with these roles may use: the strictest counts.
    pub fn priority_limit(&self, member: MemberId, role: RoleId) -> Option<Priority> {
        let holds = |holder: &Holder| match *holder {
            Holder::Member(of) => of == member,
            Holder::Role(of) => of == role,
        };
        self.max_priority.iter().filter(|(holder, _)| holds(holder)).map(|(_, most)| *most).min()
    }

    /// How long a module may run, exemptions aside.
    pub fn longest_run(&self, module: Module) -> Option<Span> {
        match module {
            Module::Training => self.training_max_run,
            Module::Notebook => self.notebook_max_run,
            Module::Service | Module::Task => None,
        }
    }

    pub fn allows_module(&self, module: Module) -> bool {
        self.modules.is_none_or(|modules| modules.contains(module))
    }

    pub fn allows_role(&self, role: RoleId) -> bool {
        self.roles.as_ref().is_none_or(|roles| roles.contains(&role))
    }
}
