//! The cases that every executor passes, told once for all of them.
//!
//! Time in a case is counted in steps of whatever length an executor can tell apart: nothing for what is virtual,
//! a good part of a second for real processes.

mod leaving;
mod lives;
mod play;
mod sizes;
mod starts;

pub use play::{Outcome, Play};

use crate::executor::Executor;
use crate::launch::{Launch, Work};
use crate::report::{Report, Running};
use std::sync::Arc;
use tidegate_engine::ids::{Span, Tick};
use tidegate_engine::words::Module;

/// Lets a case act on one kind of executor.
pub trait Driver {
    fn executor(&mut self) -> &mut dyn Executor;

    /// How something is started that behaves so.
    fn launch(&self, module: Module, work: Work) -> Arc<Launch>;

    fn now(&self) -> Tick;

    /// Moves the clock, or waits for it, and hands over what was polled on the way. Not back.
    fn pass(&mut self, to: Tick) -> Vec<Report>;

    /// The server is killed, and starts again at `at`. The executor has not been told anything yet.
    fn restart(&mut self, at: Tick);

    /// What runs, once all that was asked for has been done. Of a unit that leaves at least one replica.
    fn running(&mut self) -> Vec<Running>;

    /// A length of time that is long beside `slack`.
    fn step(&self) -> Span;

    /// How late something may be seen.
    fn slack(&self) -> Span;
}

/// One rule of the contract.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub name: &'static str,
    pub run: fn(&mut Play<'_>) -> Outcome,
}

macro_rules! cases {
    ($($module:ident::$case:ident),+ $(,)?) => {
        /// All of the contract.
        pub const CASES: &[Case] = &[$(Case { name: stringify!($case), run: $module::$case }),+];
    };
}

cases! {
    starts::assigned_twice_runs_once,
    starts::an_older_generation_is_ignored,
    starts::a_stop_that_overtakes_its_start_wins,
    starts::what_was_stopped_can_be_started_again,
    starts::exits_carry_the_code,
    starts::every_replica_of_a_gang_exits,
    starts::checkpoints_are_reported_as_they_come,
    starts::saved_work_is_not_done_again,
    leaving::who_is_asked_to_leave_is_gone_by_its_time,
    leaving::who_had_ended_before_is_gone,
    leaving::who_hangs_stays_until_its_time,
    leaving::what_has_no_right_to_run_is_killed_without_a_word,
    leaving::who_is_forgotten_is_killed_without_a_word,
    lives::a_restart_neither_doubles_nor_loses,
    lives::what_ended_meanwhile_is_reported_at_once,
    lives::what_was_reported_is_reported_again,
    lives::saves_that_are_known_are_not_reported_again,
    lives::a_grace_goes_on_over_a_restart,
    lives::orphans_are_killed,
    sizes::a_job_that_shrinks_starts_again,
    sizes::a_job_that_grows_starts_again,
    sizes::replicas_of_a_service_are_on_their_own,
}

/// Plays all cases, each to an executor of its own; says which of them failed, and why.
pub fn failures(mut make: impl FnMut() -> Box<dyn Driver>) -> Vec<String> {
    let mut failures = Vec::new();
    for case in CASES {
        let mut driver = make();
        if let Err(why) = (case.run)(&mut Play::new(&mut *driver)) {
            failures.push(format!("{}: {why}", case.name));
        }
    }
    failures
}
