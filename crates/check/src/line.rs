//! One figure of a book, split by what becomes of it.

/// How far a unit has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It has a claim; what is missing comes from units that leave.
    Held,
    Running,
    /// Asked to stop, and not yet gone.
    Leaving,
}

/// Amounts of one account and dimension, or of one device: who has it now, who will have it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Line {
    pub running: i64,
    pub leaving: i64,
    pub held: i64,
}

impl Line {
    /// What is taken at this moment.
    pub fn drawn(&self) -> i64 {
        self.running + self.leaving
    }

    /// What is taken once all that leaves is gone and all that is held has started.
    pub fn promised(&self) -> i64 {
        self.running + self.held
    }

    /// Draws, and the part of holds that leaving draws do not cover.
    pub fn used(&self) -> i64 {
        self.drawn() + (self.held - self.leaving).max(0)
    }

    pub(crate) fn add(&mut self, standing: Standing, amount: i64) {
        match standing {
            Standing::Held => self.held += amount,
            Standing::Running => self.running += amount,
            Standing::Leaving => self.leaving += amount,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_count_as_far_as_leaving_draws_do_not_cover_them() {
        let line = |running, leaving, held| Line { running, leaving, held };
        assert_eq!(line(3, 2, 0).used(), 5);
        assert_eq!(line(3, 2, 2).used(), 5);
        assert_eq!(line(3, 2, 4).used(), 7);
        assert_eq!(line(3, 0, 4).promised(), 7);
    }
}
