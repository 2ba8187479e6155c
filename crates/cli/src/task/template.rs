//! `tidegate template`: what tasks are made of.

use crate::client::{Ask, Changed, Client, Query};
use crate::exit::{Failure, Outcome};
use crate::follow::Listing;
use crate::manifest;
use crate::output::change::ChangeOptions;
use crate::output::facts::Facts;
use crate::output::table::{Cell, Table};
use crate::output::{Output, list, one};
use crate::workload::submit::pair;
use crate::workload::within::Within;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use tidegate_api::decimal::{Cores, Gpus};
use tidegate_api::duration::Duration;
use tidegate_api::memory::Memory;
use tidegate_api::name::Name;
use tidegate_api::resource::NewMetadata;
use tidegate_api::template::{NewTemplate, Template, TemplateList, TemplateSpec, WarmSpec};
use ureq::http::Method;

const PATH: &str = "/api/v1/templates";

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Make a template, with its first version
    #[command(after_help = "Examples:
  tidegate template create resize --workspace team-b --max-run-time 1m -- ./resize
  tidegate template create generate --gpus 1 --input-schema schema.json --retries 1 -- python generate.py
  tidegate template create embed --gpus 1 --warm 2 --warm-idle 10m -- python serve_tasks.py

Without --workspace it is everybody's, which is for platform administrators to make.")]
    Create(Create),
    /// List templates
    #[command(
        visible_alias = "ls",
        after_help = "Examples:
  tidegate template list
  tidegate template list --workspace team-b -o name --watch"
    )]
    List {
        #[command(flatten)]
        within: Within,
        #[command(flatten)]
        listing: Listing,
    },
    /// Show a template: its last version, or another
    #[command(after_help = "Examples:
  tidegate template show generate
  tidegate template show generate --version 2 -o yaml")]
    Show {
        /// The template
        name: Name,
        /// The number of a version, or an alias
        #[arg(long)]
        version: Option<String>,
        #[command(flatten)]
        within: Within,
        #[command(flatten)]
        output: Output,
    },
    /// Change a template: what is stated takes the place of what was, as its next version
    #[command(after_help = "Examples:
  tidegate template set generate --retries 2 -- python generate2.py
  tidegate template set generate --alias stable=2           no new version: another name of one")]
    Set(Set),
    /// Delete a template; its tasks that wait or run go on
    #[command(
        visible_alias = "rm",
        after_help = "Examples:
  tidegate template delete generate"
    )]
    Delete {
        /// The template
        name: Name,
        #[command(flatten)]
        within: Within,
        #[command(flatten)]
        options: ChangeOptions,
    },
}

/// What is stated of a template.
#[derive(Args, Clone, Debug)]
pub(crate) struct Stated {
    /// What it is for
    #[arg(long)]
    description: Option<String>,
    /// GPUs: a part of one, or whole ones
    #[arg(short, long)]
    gpus: Option<Gpus>,
    /// Cores
    #[arg(long, value_name = "CORES")]
    cpu: Option<Cores>,
    /// Memory, such as 16Gi
    #[arg(long, value_name = "SIZE")]
    memory: Option<Memory>,
    /// GPU models that it may run on
    #[arg(long, value_name = "MODEL", value_delimiter = ',')]
    gpu_model: Vec<Name>,
    /// An environment variable; may be repeated
    #[arg(short, long, value_name = "KEY=VALUE", value_parser = pair)]
    env: Vec<(String, String)>,
    /// A JSON schema that inputs must fit; - reads standard input
    #[arg(long, value_name = "FILE")]
    input_schema: Option<PathBuf>,
    /// What it may answer as JSON, such as 1Mi
    #[arg(long, value_name = "SIZE")]
    output_limit: Option<Memory>,
    /// What all files that it leaves may take, such as 64Mi
    #[arg(long, value_name = "SIZE")]
    files_limit: Option<Memory>,
    /// Longest time to run; a task that takes longer fails
    #[arg(long, value_name = "TIME")]
    max_run_time: Option<Duration>,
    /// How often a task is tried again after a failure
    #[arg(long, value_name = "N")]
    retries: Option<u32>,
    /// One process does task after task, and so many wait for more; 0: each task is a process of its own
    #[arg(long, value_name = "WORKERS")]
    warm: Option<u32>,
    /// How long a warm worker waits for another task, such as 5m
    #[arg(long, value_name = "TIME")]
    warm_idle: Option<Duration>,
    /// Another takes the place of a warm worker after so many tasks
    #[arg(long, value_name = "N")]
    warm_tasks: Option<u32>,
    /// How long a warm worker may take until it is ready
    #[arg(long, value_name = "TIME")]
    warm_start: Option<Duration>,
    /// Another name of a version; may be repeated. NAME= takes it away
    #[arg(long, value_name = "NAME=VERSION", value_parser = pair)]
    alias: Vec<(String, String)>,
    /// The program and its arguments
    #[arg(last = true, value_name = "CMD")]
    command: Vec<String>,
}

#[derive(Args, Debug)]
pub(crate) struct Create {
    /// Its name
    name: Name,
    /// The workspace that may use it; every one if absent
    #[arg(long)]
    workspace: Option<Name>,
    #[command(flatten)]
    stated: Stated,
    #[command(flatten)]
    options: ChangeOptions,
}

#[derive(Args, Debug)]
pub(crate) struct Set {
    /// The template
    name: Name,
    #[command(flatten)]
    within: Within,
    #[command(flatten)]
    stated: Stated,
    #[command(flatten)]
    options: ChangeOptions,
}

impl Stated {
    /// What is stated takes the place of what was; the rest stays.
    fn onto(&self, spec: &mut TemplateSpec) -> Outcome {
        fn set<T: Clone>(field: &mut Option<T>, flag: &Option<T>) {
            if flag.is_some() {
                field.clone_from(flag);
            }
        }
        if let Some(description) = &self.description {
            spec.description.clone_from(description);
        }
        set(&mut spec.resources.gpu, &self.gpus);
        set(&mut spec.resources.cpu, &self.cpu);
        set(&mut spec.resources.memory, &self.memory);
        set(&mut spec.output_limit, &self.output_limit);
        set(&mut spec.files_limit, &self.files_limit);
        set(&mut spec.max_run_time, &self.max_run_time);
        set(&mut spec.retries, &self.retries);
        self.warm_onto(&mut spec.warm)?;
        if !self.gpu_model.is_empty() {
            spec.gpu_models.clone_from(&self.gpu_model);
        }
        if !self.command.is_empty() {
            spec.command.clone_from(&self.command);
        }
        spec.env.extend(self.env.iter().cloned());
        if let Some(file) = &self.input_schema {
            let schema = serde_json::from_slice(&manifest::read(file)?);
            let wrong = |error| Failure::usage(format!("{} is not JSON: {error}", file.display()));
            spec.input_schema = Some(schema.map_err(wrong)?);
        }
        for (alias, version) in &self.alias {
            let wrong = |why: String| Failure::usage(format!("--alias {alias}={version}: {why}"));
            let name: Name = alias.parse().map_err(wrong)?;
            if version.is_empty() {
                spec.aliases.remove(&name);
                continue;
            }
            let number = version.parse().map_err(|_| wrong("a version is a number".into()))?;
            spec.aliases.insert(name, number);
        }
        Ok(())
    }
}

impl Stated {
    fn warm_onto(&self, warm: &mut Option<WarmSpec>) -> Outcome {
        match (self.warm, &mut *warm) {
            (Some(0), _) => *warm = None,
            (Some(workers), Some(warm)) => warm.workers = workers,
            (Some(workers), None) => {
                *warm = Some(WarmSpec { workers, idle_timeout: None, max_tasks: None, start_timeout: None });
            }
            (None, _) => {}
        }
        if self.warm_idle.is_none() && self.warm_tasks.is_none() && self.warm_start.is_none() {
            return Ok(());
        }
        let Some(warm) = warm else {
            return Err(Failure::usage("--warm-idle, --warm-tasks and --warm-start are about warm workers")
                .hint("--warm says how many wait"));
        };
        warm.idle_timeout = self.warm_idle.or(warm.idle_timeout);
        warm.max_tasks = self.warm_tasks.or(warm.max_tasks);
        warm.start_timeout = self.warm_start.or(warm.start_timeout);
        Ok(())
    }
}

fn finish(client: &Client, ask: Ask<'_>, options: ChangeOptions, done: &str) -> Outcome {
    let changed: Changed<Template> = client.change(ask, options.dry_run)?;
    let sentence = |t: &Template| format!("{} {done}, version {}", t.metadata.name, t.status.latest);
    options.print(&changed, sentence, |template, _| text(template))
}

impl Verb {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        match self {
            Verb::Create(create) => {
                let mut spec = TemplateSpec { workspace: create.workspace, ..TemplateSpec::default() };
                create.stated.onto(&mut spec)?;
                let new = NewTemplate::new(NewMetadata::named(create.name), spec);
                finish(client, Ask::post(PATH, &new)?, create.options, "created")
            }
            Verb::List { within, listing } => listing.print(client, "template", |format| {
                let templates = client.all::<TemplateList>(PATH, &within.query())?;
                if templates.is_empty() {
                    listing.none("there are no templates; `tidegate template create` makes one");
                }
                list(format, &templates, |wide| table(&templates, wide))
            }),
            Verb::Show { name, version, within, output } => {
                let mut query: Query = within.query();
                query.extend(version.map(|version| ("version", version)));
                let template: Template = client.get_with(format!("{PATH}/{name}"), query)?;
                one(output.output, &template, |_| text(&template))
            }
            Verb::Set(set) => {
                let path = format!("{PATH}/{}", set.name);
                let before: Template = client.get_with(path.clone(), set.within.query())?;
                let mut spec = before.spec.clone();
                set.stated.onto(&mut spec)?;
                if spec == before.spec {
                    return Err(Failure::usage("nothing is stated that would change it")
                        .hint("`tidegate template set --help` lists what can be"));
                }
                let new = NewTemplate::new(NewMetadata::named(set.name), spec);
                let ask = set.within.ask(Ask::change(Method::PUT, path).json(&new)?);
                let ask = Ask { if_match: Some(&before.metadata.version), ..ask };
                finish(client, ask, set.options, "set")
            }
            Verb::Delete { name, within, options } => {
                let path = format!("{PATH}/{name}");
                let before: Template = client.get_with(path.clone(), within.query())?;
                let ask = within.ask(Ask::change(Method::DELETE, path));
                let ask = Ask { if_match: Some(&before.metadata.version), ..ask };
                finish(client, ask, options, "deleted")
            }
        }
    }
}

fn workspace(template: &Template) -> &str {
    template.spec.workspace.as_ref().map_or("everybody", |name| name.as_str())
}

fn aliases(template: &Template) -> String {
    let each = template.spec.aliases.iter().map(|(alias, version)| format!("{alias}={version}"));
    each.collect::<Vec<_>>().join(",")
}

fn table(templates: &[Template], wide: bool) -> Table {
    let mut head = vec!["NAME", "WORKSPACE", "VERSIONS", "ALIASES", "DESCRIPTION"];
    if wide {
        head.extend(["COMMAND", "MAX RUN TIME", "RETRIES"]);
    }
    let mut table = Table::new(&head);
    for template in templates {
        let spec = &template.spec;
        let mut row = vec![
            Cell::from(&template.metadata.name),
            Cell::from(workspace(template)),
            Cell::from(template.status.latest.to_string()),
            Cell::from(aliases(template)),
            Cell::from(spec.description.clone()),
        ];
        if wide {
            row.extend([
                Cell::from(spec.command.join(" ")),
                Cell::from(spec.max_run_time.map_or_else(|| "-".into(), |time| time.to_string())),
                Cell::from(spec.retries.unwrap_or(0).to_string()),
            ]);
        }
        table.row(row);
    }
    table
}

/// What is said of warm workers.
fn warm(warm: &WarmSpec) -> String {
    let mut parts = vec![warm.workers.to_string()];
    parts.extend(warm.idle_timeout.map(|time| format!("wait for {time}")));
    parts.extend(warm.max_tasks.map(|tasks| format!("{tasks} tasks each")));
    parts.extend(warm.start_timeout.map(|time| format!("ready within {time}")));
    parts.join(", ")
}

fn text(template: &Template) -> String {
    let (spec, status) = (&template.spec, &template.status);
    let resources = &spec.resources;
    let mut facts = Facts::default();
    facts.add("name", &template.metadata.name).add("workspace", workspace(template));
    if !spec.description.is_empty() {
        facts.add("description", &spec.description);
    }
    facts.add("version", format!("{} of {}", status.version, status.latest));
    if !spec.aliases.is_empty() {
        facts.add("aliases", aliases(template));
    }
    facts
        .add("command", spec.command.join(" "))
        .lines("environment", spec.env.iter().map(|(key, value)| format!("{key}={value}")).collect())
        .maybe("GPUs", resources.gpu)
        .maybe("cores", resources.cpu)
        .maybe("memory", resources.memory)
        .lines("GPU models", spec.gpu_models.iter().map(|model| model.to_string()).collect())
        .maybe("inputs", spec.input_schema.as_ref())
        .maybe("output limit", spec.output_limit)
        .maybe("files limit", spec.files_limit)
        .maybe("max run time", spec.max_run_time)
        .add("retries", spec.retries.unwrap_or(0))
        .maybe("warm workers", spec.warm.as_ref().map(warm))
        .lines(
            "versions",
            status
                .versions
                .iter()
                .map(|v| format!("{} by {} at {}: {}", v.version, v.by, v.created_at, v.command.join(" ")))
                .collect(),
        );
    facts.text()
}
