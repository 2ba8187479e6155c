//! Who is asked to leave, and who is not even asked.

use super::play::{FIRST, Outcome, Play, SECOND, asked_to_leave, ensure, exited, gone, plain, same};
use crate::launch::Work;

pub(super) fn who_is_asked_to_leave_is_gone_by_its_time(play: &mut Play<'_>) -> Outcome {
    let gang = play.job_of(FIRST, play.for_steps(9), 1, &[(0, 2)]);
    play.assign(&gang);
    play.before(1);
    play.assign(&asked_to_leave(&gang, 2, play.at(3)));
    same("by its time", plain(play.until(3)), vec![gone(0, 1)])?;
    same("running", play.running(FIRST), vec![])?;
    same("later", play.until(10), vec![])
}

pub(super) fn who_had_ended_before_is_gone(play: &mut Play<'_>) -> Outcome {
    let job = play.job(play.for_steps(1));
    play.assign(&job);
    same("at its end", plain(play.until(1)), vec![exited(0, 0, 1, 0)])?;
    play.assign(&asked_to_leave(&job, 2, play.at(9)));
    same("at once", plain(play.at_once()), vec![gone(0, 1)])
}

pub(super) fn who_hangs_stays_until_its_time(play: &mut Play<'_>) -> Outcome {
    let job = play.job(Work { hang: true, ..Work::default() });
    play.assign(&job);
    play.before(1);
    let leaving = asked_to_leave(&job, 2, play.at(3));
    play.assign(&leaving);
    same("before its time", play.before(3), vec![])?;
    ensure(!play.running(FIRST).is_empty(), || "it went by itself".into())?;
    // Whether it can be killed or not: once its node is fenced, nobody asks any more.
    play.until(4);
    let mut fenced = leaving.clone();
    (fenced.generation, fenced.leaving) = (3, Vec::new());
    play.assign(&fenced);
    same("after it was given up", play.until(5), vec![])?;
    same("running", play.running(FIRST), vec![])
}

pub(super) fn what_has_no_right_to_run_is_killed_without_a_word(play: &mut Play<'_>) -> Outcome {
    let gang = play.job_of(FIRST, play.for_steps(2), 1, &[(0, 2)]);
    play.assign(&gang);
    play.before(1);
    let mut nothing = play.nothing(FIRST, gang.launch.module, Work::default());
    nothing.generation = 2;
    play.assign(&nothing);
    same("running", play.running(FIRST), vec![])?;
    same("reports", play.until(3), vec![])
}

pub(super) fn who_is_forgotten_is_killed_without_a_word(play: &mut Play<'_>) -> Outcome {
    let job = play.job(play.for_steps(2));
    play.assign(&job);
    let other = play.job_of(SECOND, Work::default(), 2, &[(0, 1)]);
    play.assign(&other);
    play.before(1);
    play.forget(FIRST);
    same("running", play.running(FIRST), vec![])?;
    same("others", play.running(SECOND), vec![(0, 0, 2)])?;
    same("reports", play.until(3), vec![])
}
