//! Templates between the wire and the records.

use crate::core::world::World;
use std::collections::BTreeMap;
use tidegate_api::duration::Duration;
use tidegate_api::limits::{
    DEFAULT_TASK_FILES, DEFAULT_TASK_OUTPUT, DEFAULT_WARM_IDLE, DEFAULT_WARM_START, MAX_TEMPLATE,
    MAX_TEMPLATE_VERSIONS,
};
use tidegate_api::memory::Memory;
use tidegate_api::name::Name;
use tidegate_api::problem::{Code, Problem};
use tidegate_api::resource::{Labels, Metadata};
use tidegate_api::template::{LATEST, Template, TemplateSpec, TemplateStatus, TemplateVersion, WarmSpec};
use tidegate_api::time::Time;
use tidegate_api::uid;
use tidegate_billing::business::Versioned;
use tidegate_billing::input::InputSchema;
use tidegate_billing::template::{self as record, TaskLimits, Warm};
use tidegate_engine::ids::{MemberId, Tick};

/// The version of a template that somebody means: a number, an alias, or the last one.
pub fn version<'a>(
    template: &'a record::Template,
    named: Option<&str>,
) -> Result<&'a record::TemplateVersion, Problem> {
    template.version(named.filter(|named| *named != LATEST)).ok_or_else(|| {
        let (name, named) = (&template.name, named.unwrap_or(LATEST));
        let aliases: Vec<&str> = template.aliases.keys().map(|alias| &**alias).collect();
        let last = template.versions.last().map_or(0, |version| version.number);
        let hint = match aliases.is_empty() {
            true => format!("it has the versions 1 to {last}"),
            false => format!("it has the versions 1 to {last}, and the aliases {}", aliases.join(", ")),
        };
        Problem::new(Code::UnknownReference, format!("the template {name} has no version {named}")).hint(hint)
    })
}

/// What a specification runs, as the next version of a template.
pub fn run_of(
    spec: &TemplateSpec,
    number: u32,
    created: Tick,
    by: MemberId,
) -> Result<record::TemplateVersion, Problem> {
    let schema = spec.input_schema.as_ref().map(|schema| {
        InputSchema::new(schema.clone()).map(|_| schema.to_string().into()).map_err(|wrong| {
            Problem::new(Code::Invalid, format!("the schema of the inputs: {}", wrong.why))
                .at(format!("/spec/inputSchema{}", wrong.at))
        })
    });
    Ok(record::TemplateVersion {
        number,
        created,
        by,
        command: spec.command.iter().map(|word| word.as_str().into()).collect(),
        env: spec.env.iter().map(|(k, v)| (k.as_str().into(), v.as_str().into())).collect(),
        shape: spec.resources.shape("/spec/resources")?,
        models: spec.gpu_models.iter().map(|model| model.as_str().into()).collect(),
        input_schema: schema.transpose()?,
        limits: TaskLimits {
            max_run: spec.max_run_time.map(|time| time.span()),
            retries: spec.retries.unwrap_or(0),
            output: spec.output_limit.map_or(DEFAULT_TASK_OUTPUT, Memory::bytes),
            files: spec.files_limit.map_or(DEFAULT_TASK_FILES, Memory::bytes),
        },
        warm: spec.warm.as_ref().map(|warm| Warm {
            workers: warm.workers,
            idle: warm.idle_timeout.map_or(DEFAULT_WARM_IDLE, |time| time.span()),
            tasks: warm.max_tasks,
            start: warm.start_timeout.map_or(DEFAULT_WARM_START, |time| time.span()),
        }),
    })
}

/// The aliases of a specification, each of a version that is there.
pub fn aliases_of(spec: &TemplateSpec, last: u32) -> Result<BTreeMap<Box<str>, u32>, Problem> {
    for (alias, version) in &spec.aliases {
        if !(1..=last).contains(version) {
            let detail = format!("the alias {alias} is of version {version}, there are 1 to {last}");
            return Err(Problem::new(Code::Invalid, detail).at(format!("/spec/aliases/{alias}")));
        }
    }
    Ok(spec.aliases.iter().map(|(alias, version)| (alias.as_str().into(), *version)).collect())
}

/// Whether a template is within its bounds.
pub fn is_bounded(template: &record::Template) -> Result<(), Problem> {
    let versions = template.versions.len();
    if versions > MAX_TEMPLATE_VERSIONS {
        let detail = format!("{} has {MAX_TEMPLATE_VERSIONS} versions, no more can be", template.name);
        return Err(Problem::new(Code::LimitExceeded, detail).hint("make another template of it"));
    }
    let bytes = serde_json::to_string(template).map_or(usize::MAX, |text| text.len());
    if bytes > MAX_TEMPLATE {
        let detail = format!(
            "{bytes} bytes of {} with its {versions} versions are more than {MAX_TEMPLATE}",
            template.name
        );
        return Err(Problem::new(Code::LimitExceeded, detail).hint("make another template of it"));
    }
    Ok(())
}

/// A template as it is shown, with one of its versions.
pub fn shown(
    world: &World,
    template: &Versioned<record::Template>,
    version: &record::TemplateVersion,
) -> Option<Template> {
    let record = &template.record;
    let metadata = Metadata {
        name: record.name.parse().ok()?,
        uid: uid::template(record.id.0),
        created_at: Time::of(record.created),
        version: template.version.to_string(),
        labels: Labels::default(),
    };
    let by = |user: MemberId| {
        world.people.user(user).map_or_else(|| "deleted".to_string(), |user| user.name.to_string())
    };
    let versions = record.versions.iter().rev().map(|version| TemplateVersion {
        version: version.number,
        created_at: Time::of(version.created),
        by: by(version.by),
        command: words(&version.command),
    });
    let status = TemplateStatus {
        version: version.number,
        latest: record.versions.last().map_or(0, |version| version.number),
        versions: versions.collect(),
    };
    Some(Template::new(metadata, spec(world, record, version), status))
}

/// A version as a specification, defaults spelled out.
pub fn spec(world: &World, template: &record::Template, version: &record::TemplateVersion) -> TemplateSpec {
    TemplateSpec {
        workspace: template.workspace.map(|room| world.room_name(room)),
        description: template.description.to_string(),
        command: words(&version.command),
        env: version.env.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect(),
        resources: version.shape.into(),
        gpu_models: version.models.iter().filter_map(|model| model.parse::<Name>().ok()).collect(),
        input_schema: version.input_schema.as_ref().and_then(|text| serde_json::from_str(text).ok()),
        output_limit: Memory::new(version.limits.output).ok(),
        files_limit: Memory::new(version.limits.files).ok(),
        max_run_time: version.limits.max_run.map(Duration::of),
        retries: Some(version.limits.retries),
        warm: version.warm.as_ref().map(warm),
        aliases: template.aliases.iter().filter_map(|(alias, n)| Some((alias.parse().ok()?, *n))).collect(),
    }
}

/// What is said of warm workers, defaults spelled out.
pub fn warm(warm: &Warm) -> WarmSpec {
    WarmSpec {
        workers: warm.workers,
        idle_timeout: Some(Duration::of(warm.idle)),
        max_tasks: warm.tasks,
        start_timeout: Some(Duration::of(warm.start)),
    }
}

fn words(words: &[Box<str>]) -> Vec<String> {
    words.iter().map(|word| word.to_string()).collect()
}
