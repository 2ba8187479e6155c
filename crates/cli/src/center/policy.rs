//! What a workspace allows in each of its quotas.

use super::flags::Flags;
use crate::client::{Ask, Changed, Client, Query};
use crate::exit::{Failure, Outcome, note, print};
use crate::manifest::read;
use crate::output::change::ChangeOptions;
use crate::output::facts::Facts;
use crate::output::figures::in_gpus;
use crate::output::{Format, Output, Printed, document, one};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use tidegate_api::name::Name;
use tidegate_api::policy::{Policy, PolicyList, PriorityLimit, UseLimit};
use ureq::http::Method;

pub(crate) const SHOW_EXAMPLES: &str = "Examples:
  tidegate workspace policy show team-b
  tidegate workspace policy show team-b Quota1.1 -o yaml > policy.yaml";
pub(crate) const SET_EXAMPLES: &str = "Examples:
  tidegate workspace policy set team-b Quota1.1 -f policy.yaml
  tidegate workspace policy set team-b Quota1.1 --limit role/developer:1-5:gpu=16 --limit member/berta:gpu=32
  tidegate workspace policy set team-b Quota1.1 --notebook-idle 30m --notebook-max-wait 10m --exempt berta
  tidegate workspace policy set team-b Quota1.1 --limit off --modules all";

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Show what a workspace allows in a quota, or in all of them
    #[command(after_help = SHOW_EXAMPLES)]
    Show(Show),
    /// Set what a workspace allows in a quota: by a file, or by options that change what is there
    #[command(after_help = SET_EXAMPLES)]
    Set(Box<Set>),
}

impl Verb {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        match self {
            Verb::Show(show) => show.run(client),
            Verb::Set(set) => set.run(client),
        }
    }
}

impl Printed for Policy {
    fn name(&self) -> String {
        self.quota.as_ref().map_or(String::new(), ToString::to_string)
    }
}

fn path(workspace: &Name, quota: &Name) -> String {
    format!("/api/v1/workspaces/{workspace}/policies/{quota}")
}

#[derive(Args, Debug)]
pub(crate) struct Show {
    /// The workspace
    workspace: Name,
    /// The quota; all that have a policy if absent
    quota: Option<Name>,
    #[command(flatten)]
    output: Output,
}

impl Show {
    fn run(self, client: &Client) -> Outcome {
        let format = self.output.output;
        if let Some(quota) = &self.quota {
            let policy: Policy = client.get(path(&self.workspace, quota))?;
            return one(format, &policy, |_| text(&policy));
        }
        let all = format!("/api/v1/workspaces/{}/policies", self.workspace);
        let policies = client.all::<PolicyList>(&all, &Query::new())?;
        match format {
            Format::Json | Format::Yaml => document(format, &policies),
            Format::Name => print(&policies.iter().map(|policy| policy.name() + "\n").collect::<String>()),
            Format::Table | Format::Wide if policies.is_empty() => {
                note(format!("{} has no policies: everything is allowed", self.workspace));
                Ok(())
            }
            Format::Table | Format::Wide => print(&policies.iter().map(text).collect::<Vec<_>>().join("\n")),
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct Set {
    /// The workspace
    workspace: Name,
    /// The quota
    quota: Name,
    /// A file with all of the policy, or - for standard input: what is not in it is allowed
    #[arg(short, long, value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    flags: Flags,
    #[command(flatten)]
    options: ChangeOptions,
}

impl Set {
    fn run(self, client: &Client) -> Outcome {
        if self.file.is_some() != self.flags.is_empty() {
            let what = "say what it shall be: by a file, or by options, not by both";
            return Err(Failure::usage(what).hint("`tidegate workspace policy set --help` lists the options"));
        }
        let path = path(&self.workspace, &self.quota);
        let before: Policy = client.get(&path)?;
        let after = match &self.file {
            Some(file) => from_file(file)?,
            None => {
                let mut after = before.clone();
                self.flags.onto(&mut after.spec);
                after
            }
        };
        let ask =
            Ask { if_match: before.version.as_deref(), ..Ask::change(Method::PUT, &path).json(&after)? };
        let changed: Changed<Policy> = client.change(ask, self.options.dry_run)?;
        let sentence = |_: &Policy| format!("policy of {} in {} set", self.workspace, self.quota);
        self.options.print(&changed, sentence, |policy, _| text(policy))
    }
}

fn from_file(file: &std::path::Path) -> Outcome<Policy> {
    let wrong = |why: String| {
        let hint = "`tidegate workspace policy show WORKSPACE QUOTA -o yaml` prints one to begin with";
        Failure::usage(format!("{}: {why}", file.display())).hint(hint)
    };
    let bytes = read(file)?;
    let text = std::str::from_utf8(&bytes).map_err(|error| wrong(error.to_string()))?;
    serde_saphyr::from_str(text).map_err(|error| wrong(error.to_string()))
}

fn words<T: ToString>(words: &[T]) -> String {
    words.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn holder(role: &Option<Name>, member: &Option<Name>) -> String {
    match (role, member) {
        (Some(role), _) => format!("each {role}"),
        (None, Some(member)) => member.to_string(),
        (None, None) => "nobody".into(),
    }
}

fn limit(limit: &UseLimit) -> String {
    let amounts = [
        limit.gpu.map(|gpu| in_gpus(&gpu.to_string())),
        limit.cpu.map(|cpu| format!("{cpu} cores")),
        limit.memory.map(|memory| format!("{memory} memory")),
    ];
    let amounts: Vec<String> = amounts.into_iter().flatten().collect();
    let at = limit.priorities.map_or(String::new(), |set| format!(" at priority {set}"));
    format!("{}: {}{at}", holder(&limit.role, &limit.member), amounts.join(", "))
}

fn priority(limit: &PriorityLimit) -> String {
    format!("{}: {}", holder(&limit.role, &limit.member), limit.priority.0.get())
}

/// A policy in words.
fn text(policy: &Policy) -> String {
    let spec = &policy.spec;
    let all = || "all".to_string();
    let mut facts = Facts::default();
    facts
        .maybe("workspace", policy.workspace.as_ref())
        .maybe("quota", policy.quota.as_ref())
        .add("modules", spec.modules.as_ref().map_or_else(all, |modules| words(modules)))
        .add("roles", spec.roles.as_ref().map_or_else(all, |roles| words(roles)))
        .lines("limits", spec.limits.iter().map(limit).collect())
        .lines("max priority", spec.max_priority.iter().map(priority).collect())
        .maybe("training max run", spec.training.max_run_time)
        .maybe("training max wait", spec.training.max_wait)
        .maybe("notebook max run", spec.notebook.max_run_time)
        .maybe("notebook max wait", spec.notebook.max_wait)
        .maybe(
            "notebook idle",
            spec.notebook.idle.map(|idle| {
                let (cpu, gpu) = (idle.cpu_percent, idle.gpu_percent);
                format!("stopped after {} below {cpu}% of its cores and {gpu}% of its GPUs' time", idle.after)
            }),
        );
    if !spec.notebook.exempt.is_empty() {
        facts.add("exempt", words(&spec.notebook.exempt));
    }
    let preset = |preset: &tidegate_api::policy::SizePreset| {
        let resources = &preset.resources;
        let gpu = resources.gpu.map_or("0".into(), |gpu| gpu.to_string());
        let cpu = resources.cpu.map_or(String::new(), |cpu| format!(", {cpu} cores"));
        let memory = resources.memory.map_or(String::new(), |memory| format!(", {memory}"));
        let of = preset.modules.as_ref().map_or(String::new(), |modules| format!(" ({})", words(modules)));
        format!("{}: {}{cpu}{memory}{of}", preset.name, in_gpus(&gpu))
    };
    facts.lines("presets", spec.presets.iter().map(preset).collect());
    facts.text()
}
