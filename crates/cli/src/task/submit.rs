//! `tidegate task submit` and `wait`.

use super::PATH;
use super::view::{ended, sentence, text};
use crate::client::{Ask, Changed, Client, Query};
use crate::clock;
use crate::exit::{Exit, Failure, Outcome, note};
use crate::manifest;
use crate::output::change::ChangeOptions;
use crate::workload::submit::{Played, pair};
use clap::Args;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration as StdDuration;
use tidegate_api::duration::Duration;
use tidegate_api::name::Name;
use tidegate_api::resource::Labels;
use tidegate_api::task::{NewTask, Task, TaskState};
use tidegate_api::workload::Visibility;
use tidegate_engine::ids::Span;

pub(crate) const EXAMPLES: &str = "Examples:
  tidegate task submit resize --inputs '{\"width\": 64}' --wait
  tidegate task submit generate@stable --inputs-file prompt.json
  tidegate task submit generate --config rc-7,default       on compute of one's own, or shared if that is full
  tidegate task submit resize --inputs '{}' --dry-run
  tidegate task submit resize --duration 2s                 on the virtual executor

With --wait the exit code is the task's; 8 means that it had not ended when the time was over.";

/// The longest that one request waits: a client gives up after a minute without a byte.
const SLICE: Span = Span::seconds(20);

#[derive(Args, Debug)]
pub(crate) struct Submit {
    /// The template: NAME, or NAME@VERSION with a number or an alias
    template: String,
    /// What the task is given: JSON
    #[arg(short, long, value_name = "JSON", conflicts_with = "inputs_file")]
    inputs: Option<String>,
    /// The same from a file; - reads standard input
    #[arg(long, value_name = "FILE")]
    inputs_file: Option<PathBuf>,
    /// Where it runs: ids of resource configs; default is shared compute
    #[arg(long, value_name = "ID,...")]
    config: Option<String>,
    /// Its name; the server chooses one if absent
    #[arg(short, long)]
    name: Option<Name>,
    /// The workspace that it belongs to; needed if you are a member of several
    #[arg(long)]
    workspace: Option<Name>,
    /// Of its workspace, only you see it, and those who operate everybody's work
    #[arg(long)]
    private: bool,
    /// A label; may be repeated
    #[arg(short, long, value_name = "KEY=VALUE", value_parser = pair)]
    label: Vec<(String, String)>,
    #[command(flatten)]
    played: Played,
    /// Wait until it has ended, and exit with its exit code
    #[arg(short, long, conflicts_with = "dry_run")]
    wait: bool,
    /// With --wait: wait no longer than this, then exit with 8
    #[arg(long, value_name = "TIME", requires = "wait")]
    timeout: Option<Duration>,
    #[command(flatten)]
    options: ChangeOptions,
}

impl Submit {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        let new = self.task()?;
        let ask = Ask { resource_config: self.config.as_deref(), ..Ask::post(PATH, &new)? };
        let changed: Changed<Task> = client.change(ask, self.options.dry_run)?;
        self.options.print(&changed, sentence, text)?;
        match changed {
            Changed::Made(task) if self.wait => wait(client, &task.id, &Query::new(), self.timeout),
            _ => Ok(()),
        }
    }

    fn inputs(&self) -> Outcome<Value> {
        let (text, from) = match (&self.inputs, &self.inputs_file) {
            (Some(text), _) => (text.clone().into_bytes(), "--inputs".to_string()),
            (None, Some(file)) => (manifest::read(file)?, file.display().to_string()),
            (None, None) => return Ok(Value::Null),
        };
        serde_json::from_slice(&text).map_err(|error| {
            Failure::usage(format!("{from} is not JSON: {error}")).hint("write it as '{\"key\": \"value\"}'")
        })
    }

    fn task(&self) -> Outcome<NewTask> {
        let mut labels = Labels::default();
        for (key, value) in &self.label {
            let key: Name = key.parse().map_err(|why| Failure::usage(format!("label {key:?}: {why}")))?;
            labels.0.insert(key, value.clone());
        }
        let mut new = NewTask {
            template: self.template.clone(),
            inputs: self.inputs()?,
            workspace: self.workspace.clone(),
            name: self.name.clone(),
            labels,
            visibility: self.private.then_some(Visibility::Private),
            virtual_run: None,
        };
        self.played.onto(&mut new.virtual_run);
        Ok(new)
    }
}

/// Waits for the end of a task: as it ended, so do we.
pub(super) fn wait(client: &Client, name: &str, query: &Query, timeout: Option<Duration>) -> Outcome {
    let begun = clock::instant();
    let limit = timeout.map(|timeout| StdDuration::from_millis(timeout.span().0));
    loop {
        let passed = clock::instant().duration_since(begun);
        let left = limit.map(|limit| Span(limit.saturating_sub(passed).as_millis() as u64));
        let mut query = query.clone();
        query.push(("wait", Duration::of(left.map_or(SLICE, |left| left.min(SLICE))).to_string()));
        let task: Task = client.get_with(format!("{PATH}/{name}"), query)?;
        if task.state.is_ended() {
            return as_it_ended(&task);
        }
        if left.is_some_and(|left| left.0 == 0) {
            let after = clock::short(passed.as_millis() as u64);
            let (name, state) = (&task.name, task.state.word());
            let failure = Failure::new(Exit::TimedOut, format!("{name} is still {state} after {after}"));
            return Err(failure.hint(format!("it goes on by itself; `tidegate task cancel {name}` ends it")));
        }
    }
}

fn as_it_ended(task: &Task) -> Outcome {
    let name = &task.name;
    match task.state {
        TaskState::Succeeded => Ok(()),
        TaskState::Cancelled => Err(Failure::new(Exit::Failure, format!("{name} was cancelled"))),
        _ => {
            note(format!("{name} failed: {}", ended(task)));
            let code = task.exit_code.and_then(|code| u8::try_from(code).ok()).filter(|code| *code > 0);
            Err(Failure::silent(code.unwrap_or(Exit::Failure as u8)))
        }
    }
}
