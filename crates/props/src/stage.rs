//! Plays commands to an engine, its twin and the checker, and judges every step.

#![allow(clippy::result_large_err, reason = "a refusal is passed on as the engine gives it")]

use crate::naive::rules::Payer;
use crate::naive::{books, eviction, queue};
use crate::step::{Step, leaving};
use crate::story;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tidegate_check::{Checker, Metering};
use tidegate_engine::event::{Event, EventKind};
use tidegate_engine::ids::{Tick, WorkloadId};
use tidegate_engine::{Command, Engine, Refusal};

#[derive(Debug, Default)]
pub struct Stage {
    pub engine: Engine,
    /// Built from the engine's events alone.
    pub twin: Engine,
    pub checker: Checker,
    metering: Metering,
    pub now: Tick,
    pub story: Vec<String>,
    reserved: Vec<WorkloadId>,
    /// Events so far.
    pub events: usize,
    pub evictions: usize,
    submitted: usize,
}

/// What went wrong, after everything that led to it.
pub type Judged<T = ()> = Result<T, String>;

/// Equal events. Who is passed over in one pass is said in no particular order, and timers that are late go off in none.
fn same(again: &Result<Vec<Event>, Refusal>, events: &[Event], wakes: bool) -> bool {
    let ordered = |events: &[Event]| {
        let (passed, mut rest): (Vec<&Event>, Vec<&Event>) =
            events.iter().partition(|e| matches!(e.kind, EventKind::PassedOver { .. }));
        let text = |events: Vec<&Event>| {
            let mut text: Vec<String> = events.iter().map(|e| format!("{e:?}")).collect();
            text.sort_unstable();
            text
        };
        let loose = if wakes { text(std::mem::take(&mut rest)) } else { Vec::new() };
        (rest.into_iter().cloned().collect::<Vec<Event>>(), loose, text(passed))
    };
    again.as_ref().is_ok_and(|again| again == events || ordered(again) == ordered(events))
}

fn caught<T>(what: &str, act: impl FnOnce() -> T) -> Judged<T> {
    catch_unwind(AssertUnwindSafe(act)).map_err(|cause| {
        let text = cause.downcast_ref::<String>().cloned();
        let text = text.or_else(|| cause.downcast_ref::<&str>().map(ToString::to_string));
        format!("{what} panicked: {}", text.unwrap_or_default())
    })
}

impl Stage {
    pub fn new() -> Stage {
        Stage::default()
    }

    /// The story so far and what is wrong.
    pub fn blame(&self, wrong: &str) -> String {
        format!("{}\nWRONG: {wrong}", self.story.join("\n"))
    }

    /// Carries out a command; `None` if it was refused.
    pub fn order(&mut self, at: Tick, command: Command) -> Judged<Option<Vec<Event>>> {
        self.story.push(format!("{:>8}ms  {}", at.0, story::command(&self.engine, &command)));
        self.act(at, command).map_err(|wrong| self.blame(&wrong))
    }

    fn act(&mut self, at: Tick, command: Command) -> Judged<Option<Vec<Event>>> {
        let wakes = command == Command::Wake;
        let before = self.engine.clone();
        let preview = caught("preview", || before.preview(at, command.clone()))?;
        let again = caught("the twin", || self.twin.preview(at, command.clone()))?;
        let outcome = caught("handle", || self.engine.handle(at, command))?;
        if preview != outcome {
            return Err(format!("a preview said {preview:?}, it happened {outcome:?}"));
        }
        let events = match outcome {
            Err(refusal) => {
                self.story.push(format!("            refused: {refusal}"));
                // The log does not tell when somebody last looked at the clock.
                let clock = matches!(refusal, Refusal::ClockBackwards { .. });
                if !clock && again != Err(refusal) {
                    return Err("an engine built from the log does not refuse it".into());
                }
                return if self.engine == before {
                    Ok(None)
                } else {
                    Err("a refusal changed something".into())
                };
            }
            Ok(events) => events,
        };
        self.now = at;
        for event in &events {
            self.judge(event, &events)?;
            caught("apply", || self.twin.apply(event))?;
            self.story.push(format!("            {}", story::event(&self.twin, event)));
            self.note(event);
        }
        // An engine that was just started looks at everything; one that runs looks when a timer that is due tells it to.
        let late = !wakes && before.next_due().is_some_and(|due| due <= at);
        if !late && !same(&again, &events, wakes) {
            return Err(format!("an engine built from the log does otherwise: {}", self.otherwise(&again)));
        }
        self.watch(&events)?;
        Ok(Some(events))
    }

    fn otherwise(&self, again: &Result<Vec<Event>, Refusal>) -> String {
        match again {
            Ok(events) => events.iter().map(|e| story::event(&self.twin, e)).collect::<Vec<_>>().join("\n  "),
            Err(refusal) => refusal.to_string(),
        }
    }

    fn note(&mut self, event: &Event) {
        self.events += 1;
        match &event.kind {
            EventKind::Reserved { workload, .. } => self.reserved.push(*workload),
            EventKind::ReservationEnded { workload } => self.reserved.retain(|w| w != workload),
            EventKind::Evicted { .. } => self.evictions += 1,
            _ => {}
        }
    }

    /// Judges an eviction by the state in which it was decided.
    fn judge(&self, event: &Event, events: &[Event]) -> Judged {
        let EventKind::Evicted { workload, units, cause, replicas, .. } = &event.kind else { return Ok(()) };
        let Some(by) = cause.by else { return Ok(()) };
        let held = events.iter().find_map(|e| match &e.kind {
            EventKind::Held { workload, grants } if *workload == by => Some(grants),
            _ => None,
        });
        let class = held.and_then(|g| g.iter().map(|g| g.class()).min()).ok_or("an eviction for nothing")?;
        let payer = self.twin.workload(by).map(|w| Payer::of(&w.spec)).ok_or("evicted by nobody")?;
        let victims = self.twin.units(*workload).filter(|u| units.contains(&u.number));
        let judged: Vec<Judged> =
            victims.map(|u| eviction::check(&self.twin, event.at, &payer, class, cause.rule, u)).collect();
        // What falls below its minimum leaves whole: the rest of the minimum goes along with who is named.
        let spec = self.twin.workload(*workload).map(|w| &w.spec).filter(|s| s.by_replica());
        let along = judged.iter().filter(|j| j.is_err()).count();
        let whole = *replicas == 0 && spec.is_some_and(|s| along < s.min().max(1) as usize);
        if whole && along < judged.len() {
            return Ok(());
        }
        judged.into_iter().collect()
    }

    /// What must hold between any two commands.
    fn watch(&mut self, events: &[Event]) -> Judged {
        if self.engine != self.twin {
            return Err("replaying the events gives another state".into());
        }
        let read = caught("the checker", || self.checker.observe(events))?;
        read.map_err(|v| format!("checker: {v}"))?;
        let metered = caught("metering", || self.metering.observe(events, &self.checker))?;
        metered.map_err(|v| format!("metering: {v}"))?;
        let shown = self.engine.books();
        self.checker.check_books(&shown).map_err(|v| format!("checker's books: {v}"))?;
        books::check(&self.engine)?;
        queue::check_order(&self.engine, self.now)?;
        // Until a timer that is due has been carried out, things may be possible that nobody has tried.
        if self.engine.next_due().is_some_and(|due| due <= self.now) {
            return Ok(());
        }
        queue::check_no_room(&self.engine, self.now, &self.reserved)?;
        let wake = caught("a preview of Wake", || self.engine.preview(self.now, Command::Wake))?;
        match wake {
            Ok(events) if events.is_empty() => Ok(()),
            other => Err(format!("a needless Wake does something: {}", self.otherwise(&other))),
        }
    }

    pub fn build(&mut self, commands: Vec<Command>) -> Judged {
        commands.into_iter().try_for_each(|c| self.order(Tick::ZERO, c).map(|_| ()))
    }

    pub fn step(&mut self, step: &Step) -> Judged {
        self.submitted += 1;
        let (at, commands) = step.commands(&self.engine, self.now, self.submitted);
        for command in commands {
            self.order(at, command)?;
        }
        Ok(())
    }

    /// Whoever waits and whoever leaves can be explained.
    pub fn explain_all(&self) -> Judged {
        for w in self.engine.workloads() {
            let told =
                caught("explain", || self.engine.explain(self.now, w.id)).map_err(|e| self.blame(&e))?;
            if told.is_none() {
                return Err(self.blame(&format!("{} cannot be explained", w.spec.name)));
            }
        }
        Ok(())
    }

    /// Nobody gives commands any more: units that leave are gone in time, timers go off. Ends when `quiet`
    /// timers in a row changed nothing, and fails if that does not come within `most` rounds.
    pub fn come_to_rest(&mut self, most: usize, quiet: usize) -> Judged {
        let mut silent = 0;
        for _ in 0..most {
            let units = leaving(&self.engine);
            let before = self.events;
            if !units.is_empty() {
                self.order(self.now, Command::Released { units })?;
            } else if let Some(due) = self.engine.next_due() {
                self.order(due.max(self.now), Command::Wake)?;
            } else {
                return Ok(());
            }
            silent = if self.events == before { silent + 1 } else { 0 };
            if silent >= quiet {
                return Ok(());
            }
        }
        Err(self.blame("it does not come to rest"))
    }

    pub fn finish(&self) -> Judged {
        self.checker.finish().map_err(|v| self.blame(&format!("checker: {v}")))?;
        self.metering.finish().map_err(|v| self.blame(&format!("metering: {v}")))
    }
}
