//! Amounts and policies as flags, in the words of the scenario language.

use crate::stated::Stated;
use clap::Args;
use std::collections::BTreeMap;
use tidegate_api::amounts::Guarantee;
use tidegate_api::by_model::ByModel;
use tidegate_api::decimal::{Cores, Gpus};
use tidegate_api::duration::Duration;
use tidegate_api::memory::Memory;
use tidegate_api::name::Name;
use tidegate_api::quota::{ChildLevel, Preemption, QuotaSpec, SelfLevel, Victims};
use tidegate_api::words::{Module, Scope, Strategy};

pub(crate) const CREATE_EXAMPLES: &str = "Examples:
  tidegate quota create Quota1 128 --pool h100 --child-level 1-9:training,notebook
  tidegate quota create Quota1.1 48 --parent Quota1 --queue fifo
  tidegate quota create Quota1.2 80 --parent Quota1 --self-level '6-9>4:training,notebook:both'
  tidegate quota create mixed H100:48,A100:16 --pool mixed";

pub(crate) const SET_EXAMPLES: &str = "Examples:
  tidegate quota set Quota1.2 --queue balance --patience 5m
  tidegate quota set Quota1.2 --self-level off --idle-sharing false
  tidegate quota set Quota1 --child-level 1-3:training --dry-run
  tidegate quota set shared --queue fair --shared true     tasks of every workspace run there
  tidegate quota set reserve --dedicated true              resource configs are taken from there";

/// GPUs, and cores and memory where the root keeps books of them.
#[derive(Args, Clone, Debug)]
pub(crate) struct Amount {
    /// GPUs: a number, or one for each model as in H100:48,A100:16
    #[arg(value_name = "GPUS", value_parser = gpus)]
    gpus: ByModel<Gpus>,
    /// Cores
    #[arg(long, value_name = "CORES")]
    cpu: Option<Cores>,
    /// Memory, such as 4Ti
    #[arg(long, value_name = "SIZE")]
    memory: Option<Memory>,
}

impl Amount {
    pub(crate) fn guarantee(&self) -> Guarantee {
        Guarantee { gpu: self.gpus.clone(), cpu: self.cpu, memory: self.memory }
    }
}

pub(crate) fn gpus(text: &str) -> Result<ByModel<Gpus>, String> {
    if !text.contains(':') {
        return text.parse().map(ByModel::One);
    }
    let mut each = BTreeMap::new();
    for part in text.split(',') {
        let (model, figure) =
            part.split_once(':').ok_or_else(|| format!("{part:?} is not MODEL:GPUS, such as H100:48"))?;
        if each.insert(model.parse::<Name>()?, figure.parse::<Gpus>()?).is_some() {
            return Err(format!("the GPU model {model} is named twice"));
        }
    }
    Ok(ByModel::Each(each))
}

/// How a quota's queue is worked off, and whom its workloads may evict.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Policies {
    /// How the queue is worked off: intelligent, fifo, balance, ...
    #[arg(long, value_name = "STRATEGY")]
    queue: Option<Strategy>,
    /// balance: how long the head waits before the window widens by one
    #[arg(long, value_name = "TIME")]
    patience: Option<Duration>,
    /// intelligent: how long a workload waits to age by one priority
    #[arg(long, value_name = "TIME")]
    aging_step: Option<Duration>,
    /// How long after it was first passed over a workload gets a reservation
    #[arg(long, value_name = "TIME")]
    starvation_guard: Option<Duration>,
    /// Whether others may draw on this account by the idle rule
    #[arg(long, value_name = "true|false")]
    idle_sharing: Option<bool>,
    /// How long after its latest start a unit is spared from preemption
    #[arg(long, value_name = "TIME")]
    protect_for: Option<Duration>,
    /// Whether tasks of every workspace run here; its queue is fair then
    #[arg(long, value_name = "true|false")]
    shared: Option<bool>,
    /// Whether resource configs are taken from it; it runs no work itself then
    #[arg(long, value_name = "true|false")]
    dedicated: Option<bool>,
    /// Its workloads draw on its descendants, and evict there: priorities and modules, or off
    #[arg(long, value_name = "1-9:training,notebook", value_parser = child_level)]
    child_level: Option<Stated<ChildLevel>>,
    /// High priorities borrow from siblings, and evict low ones here and there; or off
    #[arg(long, value_name = "6-9>4:training[:SCOPE]", value_parser = self_level)]
    self_level: Option<Stated<SelfLevel>>,
}

fn modules(text: &str) -> Result<Vec<Module>, String> {
    text.split(',').map(|module| module.trim().parse()).collect()
}

fn child_level(text: &str) -> Result<Stated<ChildLevel>, String> {
    if text == "off" {
        return Ok(Stated::Off);
    }
    let (priorities, named) = text
        .split_once(':')
        .ok_or("write it as PRIORITIES:MODULES, such as 1-9:training,notebook, or off")?;
    let victims = Victims { priorities: priorities.parse()?, modules: modules(named)? };
    Ok(Stated::On(ChildLevel { victims }))
}

fn self_level(text: &str) -> Result<Stated<SelfLevel>, String> {
    if text == "off" {
        return Ok(Stated::Off);
    }
    let wrong = "write it as HIGH>LOW:MODULES[:SCOPE], such as 6-9>4:training,notebook:both, or off";
    let (high, rest) = text.split_once('>').ok_or(wrong)?;
    let mut parts = rest.split(':');
    let (low, named) = (parts.next().ok_or(wrong)?, parts.next().ok_or(wrong)?);
    let scope = parts.next().map(str::parse::<Scope>).transpose()?;
    if parts.next().is_some() {
        return Err(wrong.into());
    }
    let victims = Victims { priorities: low.parse()?, modules: modules(named)? };
    Ok(Stated::On(SelfLevel { preemptors: high.parse()?, victims, scope }))
}

impl Policies {
    pub(crate) fn is_empty(&self) -> bool {
        self.queue.is_none()
            && self.patience.is_none()
            && self.aging_step.is_none()
            && self.starvation_guard.is_none()
            && self.idle_sharing.is_none()
            && self.protect_for.is_none()
            && self.shared.is_none()
            && self.dedicated.is_none()
            && self.child_level.is_none()
            && self.self_level.is_none()
    }

    /// What is stated takes the place of what was; the rest stays.
    pub(crate) fn onto(&self, spec: &mut QuotaSpec) {
        let queue = spec.queue.get_or_insert_default();
        queue.strategy = self.queue.or(queue.strategy);
        queue.patience = self.patience.or(queue.patience);
        queue.aging_step = self.aging_step.or(queue.aging_step);
        queue.starvation_guard = self.starvation_guard.or(queue.starvation_guard);
        if *queue == Default::default() {
            spec.queue = None;
        }
        spec.idle_sharing = self.idle_sharing.or(spec.idle_sharing);
        spec.protect_for = self.protect_for.or(spec.protect_for);
        spec.shared = self.shared.or(spec.shared);
        spec.dedicated = self.dedicated.or(spec.dedicated);
        let preemption = spec.preemption.get_or_insert_default();
        if let Some(stated) = &self.child_level {
            preemption.child_level = stated.value();
        }
        if let Some(stated) = &self.self_level {
            preemption.self_level = stated.value();
        }
        if *preemption == Preemption::default() {
            spec.preemption = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_a_number_or_one_for_each_model() {
        assert_eq!(gpus("48"), Ok(ByModel::One("48".parse().expect("a number"))));
        let ByModel::Each(each) = gpus("H100:48,A100:0.5").expect("two models") else { panic!("one figure") };
        assert_eq!(each.len(), 2);
        for wrong in ["", "x", "H100:", "H100:1,H100:2", "H100:1,A100"] {
            assert!(gpus(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn policies_are_written_as_in_scenarios() {
        let Ok(Stated::On(child)) = child_level("1-9:training,notebook") else { panic!("a policy") };
        assert_eq!((child.victims.priorities.to_string().as_str(), child.victims.modules.len()), ("1-9", 2));
        let Ok(Stated::On(own)) = self_level("6-9>4:training:both") else { panic!("a policy") };
        assert_eq!(own.preemptors.to_string(), "6-9");
        assert_eq!(self_level("off"), Ok(Stated::Off));
        for wrong in ["", "6-9", "6-9>4", "6-9>4:cats", "6-9>4:training:both:x"] {
            assert!(self_level(wrong).is_err(), "{wrong}");
        }
        assert!(child_level("training").is_err());
    }

    #[test]
    fn what_is_not_stated_stays() {
        let mut spec: QuotaSpec = serde_json::from_str(
            r#"{"pool":"p","guarantee":{"gpu":8},"queue":{"strategy":"fifo"},
                "preemption":{"childLevel":{"victims":{"priorities":"1-3","modules":["training"]}}}}"#,
        )
        .expect("a specification");
        let before = spec.clone();
        Policies::default().onto(&mut spec);
        assert_eq!(spec, before);
        Policies { child_level: Some(Stated::Off), ..Policies::default() }.onto(&mut spec);
        assert_eq!(spec.preemption, None);
    }
}
