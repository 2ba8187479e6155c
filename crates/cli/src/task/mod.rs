//! `tidegate template` and `tidegate task`: short work made of a template and inputs.

pub(crate) mod submit;
pub(crate) mod template;
mod view;

use crate::client::{Ask, Changed, Client, Query};
use crate::exit::{Exit, Failure, Outcome, note, print};
use crate::follow::Listing;
use crate::output::change::ChangeOptions;
use crate::output::{Format, Output, Printed, document, list, one};
use crate::workload::within::Within;
use clap::{Args, Subcommand};
use std::io::Write;
use std::path::PathBuf;
use submit::{Submit, wait};
use tidegate_api::duration::Duration;
use tidegate_api::name::Name;
use tidegate_api::task::{Task, TaskList, TaskResult, TaskState};
use ureq::http::Method;
use view::{result_text, sentence, table, text};

const PATH: &str = "/api/v1/tasks";

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Run a task of a template
    #[command(after_help = submit::EXAMPLES)]
    Submit(Submit),
    /// List tasks, the latest first
    #[command(
        visible_alias = "ls",
        after_help = "Examples:
  tidegate task list
  tidegate task list --state waiting -o wide --watch
  tidegate task list --template resize --limit 20 -o json"
    )]
    List(List),
    /// Show a task with everything that is known of it
    #[command(after_help = "Examples:
  tidegate task show task-12
  tidegate task show w-12 -o json")]
    Show {
        /// Name or id
        name: String,
        #[command(flatten)]
        within: Within,
        #[command(flatten)]
        output: Output,
    },
    /// Print what a task gave back, or save a file that it left
    #[command(after_help = "Examples:
  tidegate task result task-12                       its answer, as JSON
  tidegate task result task-12 -o wide               with its files
  tidegate task result task-12 --file out.png --to out.png")]
    Result(Given),
    /// End tasks
    #[command(after_help = "Examples:
  tidegate task cancel task-12
  tidegate task cancel $(tidegate task list --state waiting -o name)")]
    Cancel {
        /// Names or ids
        #[arg(required = true)]
        names: Vec<String>,
        #[command(flatten)]
        within: Within,
        #[command(flatten)]
        options: ChangeOptions,
    },
    /// Wait until a task has ended, and exit with its exit code
    #[command(after_help = "Examples:
  tidegate task wait task-12 --timeout 10m; echo $?

The exit code is the task's; 8 means that it had not ended when the time was over.")]
    Wait {
        /// Name or id
        name: String,
        /// Wait no longer than this, then exit with 8
        #[arg(long, value_name = "TIME")]
        timeout: Option<Duration>,
        #[command(flatten)]
        within: Within,
    },
}

#[derive(Args, Debug)]
pub(crate) struct List {
    /// Only tasks in this state: waiting, running, succeeded, failed or cancelled
    #[arg(long, value_name = "STATE")]
    state: Option<TaskState>,
    /// Only tasks of this template
    #[arg(short, long)]
    template: Option<Name>,
    /// Only tasks of this workspace
    #[arg(long)]
    workspace: Option<Name>,
    /// Only tasks with this label
    #[arg(short, long, value_name = "KEY=VALUE")]
    label: Option<String>,
    /// Only names that begin so
    #[arg(value_name = "PREFIX")]
    prefix: Option<Name>,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: u32,
    #[command(flatten)]
    listing: Listing,
}

#[derive(Args, Debug)]
pub(crate) struct Given {
    /// Name or id
    name: String,
    /// A file that it left, as the result lists it
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// Where to save the file; standard output if absent
    #[arg(long, value_name = "FILE", requires = "file")]
    to: Option<PathBuf>,
    /// Wait for its end first
    #[arg(short, long)]
    wait: bool,
    #[command(flatten)]
    within: Within,
    #[command(flatten)]
    output: Output,
}

impl Printed for Task {
    fn name(&self) -> String {
        self.name.to_string()
    }
}

impl Verb {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        match self {
            Verb::Submit(submit) => submit.run(client),
            Verb::List(list) => list.run(client),
            Verb::Show { name, within, output } => {
                let task: Task = client.get_with(format!("{PATH}/{name}"), within.query())?;
                one(output.output, &task, |wide| text(&task, wide))
            }
            Verb::Result(given) => given.run(client),
            Verb::Cancel { names, within, options } => {
                for name in names {
                    let ask = within.ask(Ask::change(Method::POST, format!("{PATH}/{name}:cancel")));
                    let changed: Changed<Task> = client.change(ask, options.dry_run)?;
                    options.print(&changed, sentence, text)?;
                }
                Ok(())
            }
            Verb::Wait { name, timeout, within } => wait(client, &name, &within.query(), timeout),
        }
    }
}

impl List {
    fn run(self, client: &Client) -> Outcome {
        let mut query = Query::new();
        query.extend(self.state.map(|state| ("state", state.word().to_string())));
        query.extend(self.template.iter().map(|name| ("template", name.to_string())));
        query.extend(self.workspace.iter().map(|name| ("workspace", name.to_string())));
        query.extend(self.label.iter().map(|label| ("label", label.clone())));
        query.extend(self.prefix.iter().map(|prefix| ("name", prefix.to_string())));
        self.listing.print(client, "workload", |format| {
            let tasks = client.list::<TaskList>(PATH, &query, self.limit.max(1) as usize)?;
            if tasks.is_empty() {
                self.listing.none("there are no tasks; `tidegate task submit TEMPLATE` runs one");
            }
            list(format, &tasks, |wide| table(&tasks, wide))
        })
    }
}

impl Given {
    fn run(self, client: &Client) -> Outcome {
        if self.wait {
            let waited = wait(client, &self.name, &self.within.query(), None);
            // How it ended is part of what is printed.
            waited.or_else(|failure| if failure.is_silent() { Ok(()) } else { Err(failure) })?;
        }
        match &self.file {
            Some(file) => self.save(client, file),
            None => {
                let path = format!("{PATH}/{}/result", self.name);
                let result: TaskResult = client.get_with(path, self.within.query())?;
                if let Some(why) = &result.note {
                    note(why);
                }
                match self.output.output {
                    // What a task answers is for programs, whoever looks.
                    Format::Table => document(Format::Json, &result.output),
                    Format::Wide => print(&result_text(&result)),
                    Format::Name => {
                        print(&result.files.iter().map(|file| format!("{}\n", file.path)).collect::<String>())
                    }
                    format => document(format, &result),
                }
            }
        }
    }

    fn save(&self, client: &Client, file: &str) -> Outcome {
        let mut query = self.within.query();
        query.push(("path", file.to_string()));
        let ask = Ask { is_stream: true, ..Ask::get(format!("{PATH}/{}/file", self.name), query) };
        let failed = |error: std::io::Error| Failure::new(Exit::Failure, format!("cannot save it: {error}"));
        let Some(mut from) = client.send(&ask)?.stream() else {
            return Err(Failure::new(Exit::Failure, "the server has sent no file"));
        };
        let Some(to) = &self.to else {
            let mut out = std::io::stdout().lock();
            std::io::copy(&mut from, &mut out).and_then(|_| out.flush()).map_err(failed)?;
            return Ok(());
        };
        let mut out = std::fs::File::create(to).map_err(failed)?;
        let count = std::io::copy(&mut from, &mut out).map_err(failed)?;
        note(format!("{count} bytes in {}", to.display()));
        Ok(())
    }
}
