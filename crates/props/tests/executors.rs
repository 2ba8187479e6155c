//! The virtual executor behind its contract does what the simulator does by itself, restarts or not.

use proptest::strategy::Strategy;
use std::collections::BTreeMap;
use std::sync::Arc;
use tidegate_engine::event::{Event, EventKind};
use tidegate_engine::ids::{Span, Tick, WorkloadId};
use tidegate_engine::{Command, Engine};
use tidegate_executor::{Change, Dispatch, Executor, Inbox, Launch, VirtualExecutor, Work};
use tidegate_props::step::{self, Step};
use tidegate_props::{trial, world};
use tidegate_sim::Runner;

const WORLDS: u32 = 100;
const STEPS: usize = 50;
/// Steps between two restarts.
const EVERY: usize = 5;

/// An engine with an executor: what a server is, without anything around it.
#[derive(Default)]
struct Server {
    engine: Engine,
    dispatch: Dispatch,
    inbox: Inbox,
    executor: VirtualExecutor,
    launches: BTreeMap<WorkloadId, Arc<Launch>>,
    submitted: Work,
    events: Vec<Event>,
    now: Tick,
}

impl Server {
    fn command(&mut self, command: Command) {
        let Ok(events) = self.engine.handle(self.now, command) else { return };
        for event in events {
            if let EventKind::Queued { workload, spec, .. } = &event.kind {
                let launch = Launch::of_work(spec.module, self.submitted);
                self.launches.insert(*workload, Arc::new(launch));
            }
            match self.dispatch.follow(&self.engine, self.events.len() as u64, &event) {
                Some(Change::Assigned(id)) => {
                    let assignment = self.dispatch.assignment(&self.engine, id, &self.launches[&id]);
                    assignment.into_iter().for_each(|a| self.executor.assign(a));
                }
                Some(Change::Ended(id)) => {
                    self.executor.forget(id);
                    self.inbox.forget(id);
                }
                None => {}
            }
            self.events.push(event);
        }
    }

    /// Everything that is due up to `to`; at one instant reports come before timers.
    fn advance(&mut self, to: Tick) {
        loop {
            let report = self.executor.next_due().map(|at| at.max(self.now));
            let timer = self.engine.next_due().map(|at| at.max(self.now));
            let Some(at) = report.into_iter().chain(timer).min().filter(|at| *at <= to) else { break };
            self.now = at;
            if report == Some(at) {
                self.listen();
            } else {
                self.command(Command::Wake);
            }
        }
        self.now = self.now.max(to);
    }

    fn listen(&mut self) {
        loop {
            self.inbox.hear(self.executor.poll(self.now));
            let Some(finding) = self.inbox.next(&self.engine, &self.dispatch) else { return };
            self.command(finding.command);
        }
    }

    /// Everything but the log and what is written down is gone.
    fn restart(&mut self) -> Result<(), String> {
        let (mut engine, mut replayed) = (Engine::new(), Dispatch::new());
        for (number, event) in self.events.iter().enumerate() {
            engine.apply(event);
            replayed.follow(&engine, number as u64, event);
        }
        if replayed != self.dispatch {
            return Err("the log tells another progress".into());
        }
        let bytes = postcard::to_stdvec(&self.dispatch).expect("it can be written");
        self.dispatch = postcard::from_bytes(&bytes).map_err(|e| format!("it cannot be read: {e}"))?;
        (self.executor, self.inbox) = Default::default();
        let assignment = |id| self.dispatch.assignment(&self.engine, id, &self.launches[&id]);
        let all = self.dispatch.assigned().filter_map(assignment).collect();
        self.executor.reconcile(all);
        Ok(())
    }
}

/// How the workload with this number behaves.
fn work(number: usize) -> Work {
    let n = number as u64;
    Work {
        duration: (!n.is_multiple_of(4)).then_some(Span(n * 7_919 % 60_000)),
        checkpoint: n.is_multiple_of(3).then_some(Span(1_000 + n * 997 % 9_000)),
        hang: n.is_multiple_of(11),
        fails: None,
    }
}

fn compare(server: &Server, simulated: &[Event]) -> Result<(), String> {
    let first = server.events.iter().zip(simulated).position(|(a, b)| a != b);
    let first = first.unwrap_or(server.events.len().min(simulated.len()));
    match (server.events.get(first), simulated.get(first)) {
        (None, None) => Ok(()),
        (here, there) => Err(format!("event {first} is\n  {here:?}\nin a simulation\n  {there:?}")),
    }
}

fn play(commands: &[Command], steps: &[Step], restarts: bool) -> Result<(), String> {
    let mut simulated: Vec<Event> = Vec::new();
    let mut watch = |_: &Engine, events: &[Event]| simulated.extend_from_slice(events);
    let (mut runner, mut server) = (Runner::new(), Server::default());
    let failed = |e: tidegate_sim::RunError| e.to_string();
    for command in commands {
        let _ = runner.command(command.clone(), &mut watch).map_err(failed)?;
        server.command(command.clone());
    }
    for (i, step) in steps.iter().enumerate() {
        let (at, _) = step.commands(runner.engine(), runner.now(), i);
        runner.advance(at, &mut watch).map_err(failed)?;
        server.advance(at);
        let now = Step { after: 0, deed: step.deed.clone() };
        for command in now.commands(runner.engine(), at, i).1 {
            let work = work(i);
            server.submitted = work;
            server.command(command.clone());
            let Work { duration, checkpoint, hang, .. } = work;
            let work = tidegate_sim::Work { duration, checkpoint, hang };
            let _ = match command {
                Command::Submit(spec) => runner.submit(*spec, work, &mut watch),
                command => runner.command(command, &mut watch),
            }
            .map_err(failed)?;
        }
        if restarts && i % EVERY == 0 {
            server.restart()?;
        }
    }
    let end = runner.now().after(Span::minutes(30));
    runner.advance(end, &mut watch).map_err(failed)?;
    server.advance(end);
    compare(&server, &simulated)
}

#[test]
fn an_executor_does_what_a_simulation_says() {
    let worlds = (world::world(), step::steps(STEPS)).prop_map(|(world, steps)| (world.commands(), steps));
    for restarts in [false, true] {
        trial::hold(WORLDS, &worlds, |(commands, steps)| {
            trial::shortened(&steps, |steps| play(&commands, steps, restarts))
        });
    }
}
