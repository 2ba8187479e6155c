//! The server dies and comes back; what it started does not notice.

use super::play::{FIRST, Outcome, Play, SECOND, asked_to_leave, exited, gone, plain, same};
use crate::launch::Work;
use crate::report::Report;

pub(super) fn a_restart_neither_doubles_nor_loses(play: &mut Play<'_>) -> Outcome {
    let job = play.job(play.for_steps(4));
    play.assign(&job);
    play.before(1);
    play.restart(2);
    play.reconcile(&[&job]);
    same("running", play.running(FIRST), vec![(0, 0, 1)])?;
    play.assign(&job);
    same("running", play.running(FIRST), vec![(0, 0, 1)])?;
    same("before its end", play.before(4), vec![])?;
    same("at its end", plain(play.until(4)), vec![exited(0, 0, 1, 0)])
}

pub(super) fn what_ended_meanwhile_is_reported_at_once(play: &mut Play<'_>) -> Outcome {
    let job = play.job(Work { fails: Some(9), ..play.for_steps(2) });
    play.assign(&job);
    play.before(1);
    play.restart(5);
    play.reconcile(&[&job]);
    same("at once", plain(play.at_once()), vec![exited(0, 0, 1, 9)])?;
    same("running", play.running(FIRST), vec![])?;
    same("later", play.until(8), vec![])
}

pub(super) fn what_was_reported_is_reported_again(play: &mut Play<'_>) -> Outcome {
    let job = play.job(play.for_steps(1));
    play.assign(&job);
    let exit = vec![exited(0, 0, 1, 0)];
    same("at its end", plain(play.until(1)), exit.clone())?;
    play.reconcile(&[&job]);
    same("after the server lost it", plain(play.at_once()), exit)?;
    same("running", play.running(FIRST), vec![])
}

pub(super) fn saves_that_are_known_are_not_reported_again(play: &mut Play<'_>) -> Outcome {
    let mut job = play.job(Work { checkpoint: Some(play.span(2)), ..Work::default() });
    play.assign(&job);
    let saves = play.until(2);
    play.saved_about(saves.first(), 2)?;
    if let Some(Report::Checkpointed { saved_at, .. }) = saves.first() {
        job.saved_at = *saved_at;
    }
    play.restart(3);
    play.reconcile(&[&job]);
    same("what is known", play.before(4), vec![])?;
    let next = play.until(4);
    play.saved_about(next.first(), 4)
}

pub(super) fn a_grace_goes_on_over_a_restart(play: &mut Play<'_>) -> Outcome {
    let job = play.job(Work::default());
    play.assign(&job);
    play.before(1);
    let leaving = asked_to_leave(&job, 2, play.at(3));
    play.assign(&leaving);
    play.restart(2);
    play.reconcile(&[&leaving]);
    same("by its time", plain(play.until(3)), vec![gone(0, 1)])?;
    same("running", play.running(FIRST), vec![])
}

pub(super) fn orphans_are_killed(play: &mut Play<'_>) -> Outcome {
    let job = play.job(Work::default());
    let orphan = play.job_of(SECOND, play.for_steps(3), 2, &[(0, 1)]);
    play.assign(&job);
    play.assign(&orphan);
    play.before(1);
    play.restart(2);
    play.reconcile(&[&job]);
    same("running", play.running(FIRST), vec![(0, 0, 1)])?;
    same("orphans", play.running(SECOND), vec![])?;
    same("reports", play.until(5), vec![])
}
