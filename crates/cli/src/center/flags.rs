//! Policies of the scheduling center as options.

use crate::stated::Stated;
use clap::Args;
use tidegate_api::decimal::{Cores, Gpus};
use tidegate_api::duration::Duration;
use tidegate_api::memory::Memory;
use tidegate_api::name::Name;
use tidegate_api::policy::{IdlePolicy, PolicySpec, PriorityLimit, UseLimit};
use tidegate_api::words::Module;

/// What is given replaces what is there; what is not given stays.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Flags {
    /// Modules that may be submitted, or all
    #[arg(long, value_name = "training,notebook|all", value_parser = modules)]
    modules: Option<Stated<Vec<Module>>>,
    /// Roles that may submit, or all
    #[arg(long, value_name = "ROLE,ROLE|all", value_parser = names)]
    roles: Option<Stated<Vec<Name>>>,
    /// The most that each with a role, or a member, may use at a time; may be repeated; off takes all limits away
    #[arg(long, value_name = "role/NAME:1-7:gpu=16,cpu=64", value_parser = limit)]
    limit: Vec<Stated<UseLimit>>,
    /// The highest priority of each with a role, or of a member; may be repeated; off takes all away
    #[arg(long, value_name = "member/NAME:5", value_parser = priority)]
    max_priority: Vec<Stated<PriorityLimit>>,
    /// Training is stopped when it has run so long
    #[arg(long, value_name = "TIME|off", value_parser = time)]
    training_max_run: Option<Stated<Duration>>,
    /// Somebody is told when training has waited so long
    #[arg(long, value_name = "TIME|off", value_parser = time)]
    training_max_wait: Option<Stated<Duration>>,
    /// Notebooks are stopped when they have run so long
    #[arg(long, value_name = "TIME|off", value_parser = time)]
    notebook_max_run: Option<Stated<Duration>>,
    /// Notebooks are stopped when they have waited so long
    #[arg(long, value_name = "TIME|off", value_parser = time)]
    notebook_max_wait: Option<Stated<Duration>>,
    /// Notebooks are stopped when they have done nothing for so long: below so many percent of cores and of GPU time
    #[arg(long, value_name = "TIME[:CPU%:GPU%]|off", value_parser = idle)]
    notebook_idle: Option<Stated<IdlePolicy>>,
    /// Members whose notebooks are not stopped for idleness or run time; off takes all away
    #[arg(long, value_name = "NAME,NAME|off", value_parser = names)]
    exempt: Option<Stated<Vec<Name>>>,
}

fn list<T: std::str::FromStr<Err = String>>(text: &str) -> Result<Stated<Vec<T>>, String> {
    match text {
        "all" | "off" => Ok(Stated::Off),
        _ => text.split(',').map(|word| word.trim().parse()).collect::<Result<_, _>>().map(Stated::On),
    }
}

fn modules(text: &str) -> Result<Stated<Vec<Module>>, String> {
    list(text)
}

fn names(text: &str) -> Result<Stated<Vec<Name>>, String> {
    list(text)
}

fn time(text: &str) -> Result<Stated<Duration>, String> {
    if text == "off" { Ok(Stated::Off) } else { text.parse().map(Stated::On) }
}

/// `role/NAME` or `member/NAME`.
fn holder(text: &str) -> Result<(Option<Name>, Option<Name>), String> {
    match text.split_once('/') {
        Some(("role", name)) => Ok((Some(name.parse()?), None)),
        Some(("member", name)) => Ok((None, Some(name.parse()?))),
        _ => Err(format!("{text:?} is neither role/NAME nor member/NAME")),
    }
}

fn limit(text: &str) -> Result<Stated<UseLimit>, String> {
    if text == "off" {
        return Ok(Stated::Off);
    }
    let wrong = "write it as role/NAME:PRIORITIES:gpu=N,cpu=N,memory=SIZE; priorities may be left out";
    let parts: Vec<&str> = text.split(':').collect();
    let (whom, priorities, amounts) = match parts[..] {
        [whom, amounts] => (whom, None, amounts),
        [whom, priorities, amounts] => (whom, Some(priorities.parse()?), amounts),
        _ => return Err(wrong.into()),
    };
    let (role, member) = holder(whom)?;
    let mut limit = UseLimit { role, member, priorities, ..UseLimit::default() };
    for amount in amounts.split(',') {
        match amount.split_once('=') {
            Some(("gpu", n)) => limit.gpu = Some(n.parse::<Gpus>()?),
            Some(("cpu", n)) => limit.cpu = Some(n.parse::<Cores>()?),
            Some(("memory", size)) => limit.memory = Some(size.parse::<Memory>()?),
            _ => return Err(wrong.into()),
        }
    }
    Ok(Stated::On(limit))
}

fn priority(text: &str) -> Result<Stated<PriorityLimit>, String> {
    if text == "off" {
        return Ok(Stated::Off);
    }
    let (whom, most) =
        text.split_once(':').ok_or("write it as role/NAME:PRIORITY or member/NAME:PRIORITY")?;
    let (role, member) = holder(whom)?;
    let most = most.parse().ok().and_then(tidegate_engine::words::Priority::new);
    let priority = most.ok_or("a priority is between 1 and 9")?;
    Ok(Stated::On(PriorityLimit { role, member, priority: tidegate_api::priorities::Priority(priority) }))
}

fn idle(text: &str) -> Result<Stated<IdlePolicy>, String> {
    if text == "off" {
        return Ok(Stated::Off);
    }
    let mut parts = text.split(':');
    let after: Duration = parts.next().unwrap_or_default().parse()?;
    let mut percent = || match parts.next() {
        None => Ok(5),
        Some(text) => {
            text.trim_end_matches('%').parse::<u8>().map_err(|_| format!("{text:?} is no percentage"))
        }
    };
    let (cpu_percent, gpu_percent) = (percent()?, percent()?);
    match parts.next() {
        Some(_) => Err("write it as TIME:CPU%:GPU%, such as 30m:5%:5%".into()),
        None => Ok(Stated::On(IdlePolicy { after, cpu_percent, gpu_percent })),
    }
}

impl Flags {
    pub(crate) fn is_empty(&self) -> bool {
        let times = [
            &self.training_max_run,
            &self.training_max_wait,
            &self.notebook_max_run,
            &self.notebook_max_wait,
        ];
        self.modules.is_none()
            && self.roles.is_none()
            && self.limit.is_empty()
            && self.max_priority.is_empty()
            && times.iter().all(|time| time.is_none())
            && self.notebook_idle.is_none()
            && self.exempt.is_none()
    }

    pub(crate) fn onto(&self, spec: &mut PolicySpec) {
        fn set<T: Clone>(field: &mut Option<T>, given: &Option<Stated<T>>) {
            if let Some(given) = given {
                *field = given.value();
            }
        }
        set(&mut spec.modules, &self.modules);
        set(&mut spec.roles, &self.roles);
        set(&mut spec.training.max_run_time, &self.training_max_run);
        set(&mut spec.training.max_wait, &self.training_max_wait);
        set(&mut spec.notebook.max_run_time, &self.notebook_max_run);
        set(&mut spec.notebook.max_wait, &self.notebook_max_wait);
        set(&mut spec.notebook.idle, &self.notebook_idle);
        if !self.limit.is_empty() {
            spec.limits = self.limit.iter().filter_map(Stated::value).collect();
        }
        if !self.max_priority.is_empty() {
            spec.max_priority = self.max_priority.iter().filter_map(Stated::value).collect();
        }
        if let Some(exempt) = &self.exempt {
            spec.notebook.exempt = exempt.value().unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_as_they_are_written() {
        let Ok(Stated::On(read)) = limit("role/admin:1-7:gpu=100,memory=1Ti") else { panic!("a limit") };
        assert_eq!(read.role.as_ref().map(Name::as_str), Some("admin"));
        assert_eq!(read.priorities.map(|set| set.to_string()).as_deref(), Some("1-7"));
        assert_eq!((read.gpu.map(Gpus::milli), read.cpu), (Some(100_000), None));
        let Ok(Stated::On(read)) = limit("member/berta:cpu=4") else { panic!("a limit") };
        assert!(read.member.is_some() && read.priorities.is_none());
        for wrong in ["", "berta:gpu=1", "role/admin", "role/admin:0-3:gpu=1", "role/admin:gpus=1", "a:b:c:d"]
        {
            assert!(limit(wrong).is_err(), "{wrong}");
        }
        assert_eq!(limit("off"), Ok(Stated::Off));
    }

    #[test]
    fn idleness_has_thresholds_or_the_usual_ones() {
        let read = |text: &str| match idle(text) {
            Ok(Stated::On(idle)) => Some((idle.after.to_string(), idle.cpu_percent, idle.gpu_percent)),
            _ => None,
        };
        assert_eq!(read("30m"), Some(("30m".into(), 5, 5)));
        assert_eq!(read("1h:10%:20"), Some(("1h".into(), 10, 20)));
        assert_eq!(read("1h:10:20:30"), None);
        assert_eq!(read("soon"), None);
        assert!(priority("role/developer:5").is_ok() && priority("role/developer:10").is_err());
    }
}
