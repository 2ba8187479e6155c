//! The product's vocabulary: closed sets of words, the same in code, API, CLI and docs.

use serde::{Deserialize, Serialize};

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal $(| $alias:literal)*),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum $name { $($(#[$vdoc])* $variant),+ }

        impl $name {
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            pub fn word(self) -> &'static str {
                match self { $($name::$variant => $word),+ }
            }

            pub fn parse(text: &str) -> Option<$name> {
                match text { $($word $(| $alias)* => Some($name::$variant),)+ _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.word())
            }
        }
    };
}

words!(
    /// What kind of work a workload is.
    Module { Training = "training" | "DLC", Notebook = "notebook" | "DSW", Service = "service" | "EAS", Task = "task" }
);
words!(
    /// How strong a claim is. A unit's class is the lowest among its draws; lower sorts first.
    Class { Idle = "idle", Loan = "loan", Firm = "firm" }
);
words!(
    /// Under which rule a draw was made, in the order in which the rules are tried.
    Rule { Own = "own", ChildLevel = "child-level", SelfLevel = "self-level", Idle = "idle" }
);
words!(
    /// Under which rule a unit was evicted. The first three are tiers, tried in this order.
    EvictionRule {
        Recall = "recall", SelfLevel = "self-level", ChildLevel = "child-level",
        Scale = "scale", Transfer = "transfer", Drain = "drain", Resize = "resize", Stop = "stop", MaxRun = "max-run", Restart = "restart",
    }
);
impl EvictionRule {
    /// Whether the workload's own people asked for it: no preemption.
    pub fn is_owners(self) -> bool {
        matches!(
            self,
            EvictionRule::Stop | EvictionRule::MaxRun | EvictionRule::Resize | EvictionRule::Restart
        )
    }
}

words!(
    /// Whom a self-level policy reaches.
    Scope { SameQuota = "same-quota", Siblings = "siblings", Both = "both" }
);
words!(
    /// How a queue is worked off.
    Strategy {
        Fifo = "fifo", RoundRobin = "round-robin", Balance = "balance",
        Intelligent = "intelligent", Fair = "fair",
    }
);
words!(
    /// Whether a training job uses idle capacity of others.
    IdleUse { Never = "never", Accept = "accept", Only = "only" }
);
words!(
    /// What becomes of a victim.
    OnPreempt { Requeue = "requeue", Stop = "stop" }
);
words!(
    /// What happens to work in the way when an account shrinks.
    Mode { Refuse = "refuse", Drain = "drain", Evict = "evict" }
);
words!(
    /// What a pool is made of.
    PoolKind { General = "general", Lingjun = "lingjun" }
);

/// 1 to 9, larger is more important.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct Priority(u8);

impl Priority {
    pub const MIN: Priority = Priority(1);
    pub const MAX: Priority = Priority(9);
    pub const DEFAULT: Priority = Priority(1);

    pub const fn new(value: u8) -> Option<Priority> {
        if value >= 1 && value <= 9 { Some(Priority(value)) } else { None }
    }

    #[inline]
    pub fn get(self) -> u8 {
        self.0
    }

    pub fn all() -> impl DoubleEndedIterator<Item = Priority> {
        (1..=9).map(Priority)
    }
}

impl TryFrom<u8> for Priority {
    type Error = String;
    fn try_from(value: u8) -> Result<Self, String> {
        Priority::new(value).ok_or_else(|| format!("priority {value} is not between 1 and 9"))
    }
}

impl From<Priority> for u8 {
    fn from(p: Priority) -> u8 {
        p.0
    }
}

impl std::fmt::Display for Priority {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A set of priorities, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PrioritySet(u16);

impl PrioritySet {
    pub fn range(low: Priority, high: Priority) -> PrioritySet {
        (low.0..=high.0).map(Priority).fold(PrioritySet::default(), PrioritySet::with)
    }

    #[must_use]
    pub fn with(self, p: Priority) -> PrioritySet {
        PrioritySet(self.0 | 1 << p.0)
    }

    #[inline]
    pub fn contains(self, p: Priority) -> bool {
        self.0 & (1 << p.0) != 0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn iter(self) -> impl DoubleEndedIterator<Item = Priority> {
        Priority::all().filter(move |&p| self.contains(p))
    }

    pub fn lowest(self) -> Option<Priority> {
        self.iter().next()
    }

    pub fn highest(self) -> Option<Priority> {
        self.iter().next_back()
    }
}

/// Written as in the scenario language: `4`, `1-3`, `1,3,5-7`.
impl std::fmt::Display for PrioritySet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut first = true;
        let mut p = 1;
        while p <= 9 {
            if !self.contains(Priority(p)) {
                p += 1;
                continue;
            }
            let start = p;
            while p < 9 && self.contains(Priority(p + 1)) {
                p += 1;
            }
            if !first {
                f.write_str(",")?;
            }
            first = false;
            if start == p {
                write!(f, "{p}")?
            } else {
                write!(f, "{start}-{p}")?
            }
            p += 1;
        }
        Ok(())
    }
}

/// A set of modules, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ModuleSet(u8);

impl ModuleSet {
    #[must_use]
    pub fn with(self, m: Module) -> ModuleSet {
        ModuleSet(self.0 | 1 << m as u8)
    }

    #[inline]
    pub fn contains(self, m: Module) -> bool {
        self.0 & (1 << m as u8) != 0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn iter(self) -> impl Iterator<Item = Module> {
        Module::ALL.iter().copied().filter(move |&m| self.contains(m))
    }
}

impl std::fmt::Display for ModuleSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, m) in self.iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            f.write_str(m.word())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_print_as_they_are_written() {
        let p = |n| Priority::new(n).expect("in range");
        assert_eq!(PrioritySet::range(p(1), p(9)).to_string(), "1-9");
        assert_eq!(PrioritySet::default().with(p(1)).with(p(3)).with(p(5)).with(p(6)).to_string(), "1,3,5-6");
        assert_eq!(
            ModuleSet::default().with(Module::Notebook).with(Module::Training).to_string(),
            "training,notebook"
        );
    }

    #[test]
    fn aliases_are_understood() {
        assert_eq!(Module::parse("EAS"), Some(Module::Service));
        assert_eq!(Module::parse("Service"), None);
        assert_eq!(Priority::new(0), None);
        assert_eq!(Priority::new(10), None);
    }
}
