//! Whose turn it is to write. SQLite has one writer at a time and lets others wait by sleeping; here they are woken,
//! and the log goes before chores.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

#[derive(Debug, Default)]
pub(crate) struct Turns {
    state: Mutex<State>,
    freed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    taken: bool,
    /// The writer waits: chores let it pass, however many steps they have left.
    writer_waits: bool,
}

/// Ends when dropped.
#[derive(Debug)]
pub(crate) struct Turn<'a> {
    turns: &'a Turns,
}

impl Turns {
    pub(crate) fn writer(&self) -> Turn<'_> {
        let mut state = self.lock();
        state.writer_waits = true;
        while state.taken {
            state = self.freed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        *state = State { taken: true, writer_waits: false };
        Turn { turns: self }
    }

    pub(crate) fn chore(&self) -> Turn<'_> {
        let mut state = self.lock();
        while state.taken || state.writer_waits {
            state = self.freed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.taken = true;
        Turn { turns: self }
    }

    /// Two flags cannot be half changed: a holder that panicked left them whole.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.turns.lock().taken = false;
        self.turns.freed.notify_all();
    }
}
