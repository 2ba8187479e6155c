//! Where a request works: it looks at the world, gives commands, and what they bring about is collected.

use super::entry::{Body, Fact, Origin, VERSION};
use super::hub::Line;
use super::was::Was;
use super::world::{Document, World};
use super::{business_lines, lines, people_lines};
use std::sync::Arc;
use tidegate_api::resource::Labels;
use tidegate_billing::{Change as BusinessChange, Record as BusinessRecord};
use tidegate_engine::ids::{MemberId, Tick, WorkloadId};
use tidegate_engine::workload::WorkloadSpec;
use tidegate_engine::{Command, Event, EventKind, Refusal};
use tidegate_identity::{Change as PeopleChange, Record};

/// A request that was carried out in memory, ready for the store.
#[derive(Debug)]
pub struct Prepared {
    pub first: u64,
    pub at: Tick,
    pub body: Body,
    pub documents: Vec<(WorkloadId, Arc<Document>)>,
    pub past: Vec<Past>,
    pub receipt: Option<Receipt>,
    /// For watchers, and for those who asked for a preview.
    pub lines: Vec<Line>,
}

impl Prepared {
    /// Whether there is nothing to write down: what else there is goes with events.
    pub fn is_empty(&self) -> bool {
        self.body.count() == 0
    }

    /// The number of the event after its last one.
    pub fn next(&self) -> u64 {
        self.first + self.body.count() as u64
    }
}

/// A workload that leaves memory.
#[derive(Clone, Debug)]
pub struct Past {
    pub id: WorkloadId,
    pub name: Box<str>,
    pub workspace: Box<str>,
    pub quota: Box<str>,
    pub module: &'static str,
    pub state: &'static str,
    pub ended: Tick,
    pub labels: Labels,
    /// Whose it is, if it is private.
    pub private_of: Option<MemberId>,
    /// The resource as it would have been shown.
    pub body: Vec<u8>,
}

/// What was answered to a request with an Idempotency-Key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    pub key: Box<str>,
    /// Of the request: the same key with another request is a mistake.
    pub request: [u8; 32],
    pub status: u16,
    pub body: Arc<[u8]>,
    pub at: Tick,
}

#[derive(Debug)]
pub struct Deck<'a> {
    world: &'a mut World,
    now: Tick,
    /// How many commands were carried out.
    commands: u32,
    prepared: Prepared,
}

impl<'a> Deck<'a> {
    pub(super) fn new(world: &'a mut World, now: Tick, origin: Origin) -> Deck<'a> {
        let body = Body {
            v: VERSION,
            origin: Arc::new(origin),
            events: Vec::new(),
            steps: Vec::new(),
            facts: Vec::new(),
            people: Vec::new(),
            business: Vec::new(),
            was: Vec::new(),
        };
        let prepared = Prepared {
            first: world.next,
            at: now,
            body,
            documents: Vec::new(),
            past: Vec::new(),
            receipt: None,
            lines: Vec::new(),
        };
        Deck { world, now, commands: 0, prepared }
    }

    pub fn world(&self) -> &World {
        self.world
    }

    pub fn now(&self) -> Tick {
        self.now
    }

    pub fn origin(&self) -> &Origin {
        &self.prepared.body.origin
    }

    /// Carries out a command, and says what happened. A refusal changes nothing.
    pub fn command(&mut self, command: Command) -> Result<&[Event], Refusal> {
        let was = Was::before(self.world, &command);
        let events = self.world.engine.handle(self.now, command)?;
        self.world.at = self.world.at.max(self.now);
        if let Some((was, place)) = was.and_then(|was| was.place(&events).map(|place| (was, place))) {
            let body = &mut self.prepared.body;
            let place = body.count() + place;
            body.was.push((place as u32, was.shown));
        }
        Ok(self.take(events))
    }

    /// Submits a workload with what the engine is not told about it.
    pub fn submit(&mut self, spec: WorkloadSpec, document: Arc<Document>) -> Result<WorkloadId, Refusal> {
        let events = self.world.engine.handle(self.now, Command::Submit(Box::new(spec)))?;
        self.world.at = self.world.at.max(self.now);
        let queued = events.iter().find_map(|event| match event.kind {
            EventKind::Queued { workload, .. } => Some(workload),
            _ => None,
        });
        let id = queued.expect("who is submitted is queued");
        self.world.file(id, document.clone());
        self.prepared.documents.push((id, document));
        self.take(events);
        Ok(id)
    }

    /// For previews: goes on to when all that leaves of a workload is gone, as far as is known now. Others may come
    /// and go until then.
    pub fn foresee_exit(&mut self, workload: WorkloadId) -> Result<(), Refusal> {
        let engine = &self.world.engine;
        let leaving = engine.units(workload).filter(|unit| unit.is_leaving());
        let units: Vec<(WorkloadId, u32)> = leaving.map(|unit| (workload, unit.number)).collect();
        let Some(w) = engine.workload(workload).filter(|_| !units.is_empty()) else { return Ok(()) };
        self.now = self.now.after(w.spec.grace);
        self.command(Command::Released { units }).map(|_| ())
    }

    /// Lets the executor be told everything again, in its place among what else it is told.
    pub fn restate(&mut self) {
        self.world.restate = true;
    }

    /// Notes what the engine is not told. Goes with a command.
    pub fn note(&mut self, fact: Fact) {
        self.world.shell.learn(&fact);
        self.prepared.body.facts.push(fact);
    }

    /// Puts a record of users or workspaces in place of another; either may be none.
    pub fn put(&mut self, before: Option<Record>, after: Option<Record>) {
        let boxed = |record: Option<Record>| record.map(Box::new);
        let change = PeopleChange { at: self.now, before: boxed(before), after: boxed(after) };
        let place = self.prepared.body.count() as u32;
        self.prepared.lines.extend(people_lines::line(self.world, &change));
        self.world.take_in(&change);
        self.prepared.body.people.push((place, change));
    }

    /// Puts a record of the business in place of another; either may be none.
    pub fn put_business(&mut self, before: Option<BusinessRecord>, after: Option<BusinessRecord>) {
        let boxed = |record: Option<BusinessRecord>| record.map(Box::new);
        let change = BusinessChange { at: self.now, before: boxed(before), after: boxed(after) };
        let place = self.prepared.body.count() as u32;
        self.prepared.lines.extend(business_lines::line(self.world, &change));
        self.world.take_in_business(&change);
        self.prepared.body.business.push((place, change));
    }

    /// Drops an ended workload from memory; it stays readable from the store.
    pub fn retire(&mut self, past: Past) -> Result<(), Refusal> {
        self.command(Command::Forget { workload: past.id })?;
        self.prepared.past.push(past);
        Ok(())
    }

    /// Remembers what is answered, in case the same request comes again. What changed nothing is not remembered: to
    /// ask it again is no harm, and the log has no entries without events.
    pub fn remember(&mut self, receipt: Receipt) {
        if self.prepared.is_empty() {
            return;
        }
        self.world.receipts.insert(receipt.clone(), self.prepared.first);
        self.prepared.receipt = Some(receipt);
    }

    /// Lines for watchers of what happened so far on this deck.
    pub fn lines(&self) -> &[Line] {
        &self.prepared.lines
    }

    fn take(&mut self, events: Vec<Event>) -> &[Event] {
        let body = &mut self.prepared.body;
        for event in &events {
            // Names are looked up before a workload may be forgotten.
            let world = &*self.world;
            let why = world.stop_reason(event);
            if let Some(line) = lines::line(world, &world.engine, world.next, event, why) {
                self.prepared.lines.push(line);
            }
            self.world.observe(event, &body.origin);
        }
        let before = body.events.len();
        // One command needs no steps.
        if self.commands == 1 {
            body.steps.push(before as u32);
        }
        if self.commands > 0 {
            body.steps.push(events.len() as u32);
        }
        self.commands += 1;
        if before == 0 {
            body.events = events;
        } else {
            body.events.extend(events);
        }
        &body.events[before..]
    }

    pub(super) fn finish(self) -> Prepared {
        self.prepared
    }
}
