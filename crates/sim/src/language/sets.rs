//! Sets of priorities and modules, and the two preemption policies made of them.

use super::piece::{Piece, Unexpected};
use super::tree::{ChildLevelText, SelfLevelText};
use tidegate_engine::words::{Module, ModuleSet, Priority, PrioritySet, Scope};

pub(crate) fn priority(word: Piece<'_>) -> Result<Priority, Unexpected> {
    let value = word.text.parse::<u8>().ok().filter(|_| word.text.len() == 1);
    value.and_then(Priority::new).ok_or_else(|| word.expected("a priority from 1 to 9"))
}

/// `p5`.
pub(crate) fn marked_priority(word: Piece<'_>) -> Result<Priority, Unexpected> {
    let number = word.text.strip_prefix('p').filter(|digits| digits.len() == 1);
    let value = number.and_then(|digits| digits.parse().ok()).and_then(Priority::new);
    value.ok_or_else(|| word.expected("a priority, p1 to p9"))
}

pub(crate) fn module(word: Piece<'_>) -> Result<Module, Unexpected> {
    Module::parse(word.text)
        .ok_or_else(|| word.expected("a module (training or DLC, notebook or DSW, service or EAS, task)"))
}

/// `4`, `1-3`, `1,3,5-7`.
pub(crate) fn priorities(word: Piece<'_>) -> Result<PrioritySet, Unexpected> {
    let mut set = PrioritySet::default();
    for part in word.split(',') {
        let (low, high) = match part.split_once('-') {
            Some((low, high)) => (priority(low)?, priority(high)?),
            None => (priority(part)?, priority(part)?),
        };
        if low > high {
            return Err(part.expected("a range from the lower to the higher priority"));
        }
        set = PrioritySet::range(low, high).iter().fold(set, PrioritySet::with);
    }
    Ok(set)
}

/// `training,notebook`.
pub(crate) fn modules(word: Piece<'_>) -> Result<ModuleSet, Unexpected> {
    word.split(',').try_fold(ModuleSet::default(), |set, part| Ok(set.with(module(part)?)))
}

/// `1-9:training,notebook`.
pub(crate) fn child_level(word: Piece<'_>) -> Result<ChildLevelText, Unexpected> {
    let (victims, rest) = word.split_once(':').ok_or_else(|| word.expected("PRIORITIES:MODULES or off"))?;
    Ok(ChildLevelText { victims: priorities(victims)?, modules: modules(rest)? })
}

/// `6-9>4:training,notebook:both`.
pub(crate) fn self_level(word: Piece<'_>) -> Result<SelfLevelText, Unexpected> {
    let wrong = || word.expected("HIGH>LOW:MODULES[:SCOPE] or off");
    let (high, rest) = word.split_once('>').ok_or_else(wrong)?;
    let (low, rest) = rest.split_once(':').ok_or_else(wrong)?;
    let (named, scope) = match rest.split_once(':') {
        Some((named, scope)) => {
            let scope = Scope::parse(scope.text)
                .ok_or_else(|| scope.expected("a scope (same-quota, siblings, both)"))?;
            (named, scope)
        }
        None => (rest, Scope::Both),
    };
    Ok(SelfLevelText { high: priorities(high)?, low: priorities(low)?, modules: modules(named)?, scope })
}
