//! One command being carried out: decisions become events, and every event is applied as it is made.

use crate::event::{Event, EventKind};
use crate::ids::Tick;
use crate::state::State;

#[derive(Debug)]
pub(crate) struct Session<'a> {
    pub(crate) s: &'a mut State,
    pub(crate) now: Tick,
    pub(crate) events: Vec<Event>,
}

impl Session<'_> {
    pub(crate) fn emit(&mut self, kind: EventKind) {
        // Most commands have up to three: what was asked, what follows, and who was passed over.
        if self.events.capacity() == 0 {
            self.events.reserve_exact(3);
        }
        self.events.push(Event { at: self.now, kind });
        self.s.apply(&self.events[self.events.len() - 1]);
    }
}
