//! `tidegate replay FILE.csv`: a trace of jobs in virtual time, on the real engine.

mod report;
mod trace;
mod world;

use crate::exit::{Exit, Failure, Outcome, note, print};
use crate::output::{Format, Output, document};
use crate::progress::Progress;
use clap::Args;
use report::{Report, Scribe};
use std::path::PathBuf;
use tidegate_engine::ids::{Span, Tick};
use tidegate_engine::resources::Shape;
use tidegate_engine::workload::WorkloadSpec;
use tidegate_sim::runner::{RunError, Runner, Work};
use trace::Job;

pub(crate) const EXAMPLES: &str = "Examples:
  tidegate replay jobs.csv --nodes 16x8
  tidegate replay jobs.csv --world quotas.tide -o json

A trace has the columns submit, duration, replicas, gpus, quota, module and priority, named in its first line; module
and priority may be missing. Times are seconds, or written as 90s, 1h30m. GPUs are those of each replica.

Without --world the GPUs of --nodes are split evenly between the quotas that the trace names, below one root.
A world is a scenario file with pool and quota lines alone: see docs/scenario-language.md.";

/// Jobs between two looks at the progress.
const STEP: usize = 64;

#[derive(Args, Debug)]
pub(crate) struct Replay {
    /// The trace; - reads standard input
    file: PathBuf,
    /// Pools and quotas, as a scenario file without events
    #[arg(long, value_name = "FILE", conflicts_with = "nodes")]
    world: Option<PathBuf>,
    /// Nodes and GPUs of each
    #[arg(long, value_name = "NODESxGPUS", default_value = "16x8", value_parser = crate::supply::pool::size)]
    nodes: (u32, u32),
    /// What runs saves its work so often; an eviction costs what is not saved
    #[arg(long, value_name = "TIME")]
    checkpoint: Option<tidegate_api::duration::Duration>,
    #[command(flatten)]
    output: Output,
}

impl Replay {
    pub(crate) fn run(self) -> Outcome {
        let jobs = trace::read(&self.file)?;
        let engine = match &self.world {
            Some(file) => world::of_file(file)?,
            None => world::even(&jobs, self.nodes)?,
        };
        let unknown = jobs.iter().find(|job| engine.quota_named(&job.quota).is_none());
        if let Some(job) = unknown {
            let what = format!("{}, line {}: there is no quota {}", self.file.display(), job.line, job.quota);
            return Err(Failure::new(Exit::NotFound, what).hint("declare it in the file of --world"));
        }
        let mut scribe = Scribe::new(&engine);
        let mut runner = Runner::on(engine);
        let played = self.play(&jobs, &mut runner, &mut scribe);
        played.map_err(|error| Failure::new(Exit::Failure, format!("internal error: {error}")))?;
        self.print(&scribe.report(runner.now()))
    }

    fn play(&self, jobs: &[Job], runner: &mut Runner, scribe: &mut Scribe) -> Result<(), RunError> {
        let mut progress = Progress::new();
        let checkpoint = self.checkpoint.map(|every| every.span());
        for (index, job) in jobs.iter().enumerate() {
            if index % STEP == 0 {
                progress.set("replaying", index as u64, jobs.len() as u64);
            }
            runner.advance(Tick(job.submit), scribe)?;
            let Some(quota) = runner.engine().quota_named(&job.quota) else { continue };
            let mut spec = WorkloadSpec::new(
                &format!("job-{}", job.line),
                quota,
                job.module,
                job.replicas,
                Shape::with_gpu(job.gpus),
            );
            spec.priority = job.priority;
            spec.grace = Span::ZERO;
            let work = Work { duration: Some(Span(job.duration)), checkpoint, hang: false };
            scribe.submitted(job);
            if let Err(refusal) = runner.submit(spec, work, scribe)? {
                scribe.refused(job, &refusal);
            }
        }
        progress.set("running out", jobs.len() as u64, jobs.len() as u64);
        runner.finish(scribe)?;
        progress.end();
        Ok(())
    }

    fn print(&self, report: &Report) -> Outcome {
        if let Some(refusal) = &report.first_refusal {
            let were = if report.total.refused == 1 { "job was" } else { "jobs were" };
            note(format!("{} {were} refused; the first: {refusal}", report.total.refused));
        }
        match self.output.output {
            format @ (Format::Json | Format::Yaml) => document(format, report),
            Format::Name => print(&report.quotas.keys().map(|name| format!("{name}\n")).collect::<String>()),
            Format::Table | Format::Wide => print(&report.text()),
        }
    }
}
