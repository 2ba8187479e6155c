//! What starts, saves and ends.

use super::play::{FIRST, Outcome, Play, ensure, exited, plain, same};
use crate::launch::Work;
use crate::report::Report;

pub(super) fn assigned_twice_runs_once(play: &mut Play<'_>) -> Outcome {
    let job = play.job(play.for_steps(2));
    play.assign(&job);
    play.assign(&job);
    same("running", play.running(FIRST), vec![(0, 0, 1)])?;
    play.before(1);
    play.assign(&job);
    same("running", play.running(FIRST), vec![(0, 0, 1)])?;
    same("before its end", play.before(2), vec![])?;
    same("at its end", plain(play.until(2)), vec![exited(0, 0, 1, 0)])?;
    same("later", play.until(5), vec![])?;
    same("running", play.running(FIRST), vec![])
}

pub(super) fn an_older_generation_is_ignored(play: &mut Play<'_>) -> Outcome {
    let mut job = play.job(Work::default());
    job.generation = 5;
    play.assign(&job);
    let mut older = play.nothing(FIRST, job.launch.module, Work::default());
    older.generation = 4;
    play.assign(&older);
    same("reports", play.until(1), vec![])?;
    same("running", play.running(FIRST), vec![(0, 0, 1)])
}

pub(super) fn a_stop_that_overtakes_its_start_wins(play: &mut Play<'_>) -> Outcome {
    let job = play.job(play.for_steps(1));
    let mut stop = play.nothing(FIRST, job.launch.module, Work::default());
    stop.generation = 2;
    play.assign(&stop);
    play.assign(&job);
    same("reports", play.until(2), vec![])?;
    same("running", play.running(FIRST), vec![])
}

pub(super) fn what_was_stopped_can_be_started_again(play: &mut Play<'_>) -> Outcome {
    let job = play.job(play.for_steps(2));
    play.assign(&job);
    let mut stop = play.nothing(FIRST, job.launch.module, Work::default());
    stop.generation = 2;
    play.assign(&stop);
    same("running", play.running(FIRST), vec![])?;
    same("while it is stopped", play.before(1), vec![])?;
    let again = play.job_of(FIRST, play.for_steps(2), 3, &[(0, 1)]);
    play.assign(&again);
    same("running", play.running(FIRST), vec![(0, 0, 3)])?;
    same("when the first would have ended", play.until(2), vec![])?;
    same("at its end", plain(play.until(3)), vec![exited(0, 0, 3, 0)])
}

pub(super) fn exits_carry_the_code(play: &mut Play<'_>) -> Outcome {
    let job = play.job(Work { fails: Some(3), ..play.for_steps(1) });
    play.assign(&job);
    same("at its end", plain(play.until(1)), vec![exited(0, 0, 1, 3)])
}

pub(super) fn every_replica_of_a_gang_exits(play: &mut Play<'_>) -> Outcome {
    let gang = play.job_of(FIRST, play.for_steps(1), 1, &[(0, 3)]);
    play.assign(&gang);
    same("running", play.running(FIRST), vec![(0, 0, 1), (0, 1, 1), (0, 2, 1)])?;
    let exits = (0..3).map(|index| exited(0, index, 1, 0)).collect();
    same("at its end", plain(play.until(1)), exits)
}

pub(super) fn checkpoints_are_reported_as_they_come(play: &mut Play<'_>) -> Outcome {
    let job = play.job(Work { checkpoint: Some(play.span(2)), ..play.for_steps(6) });
    play.assign(&job);
    same("too early", play.before(2), vec![])?;
    for steps in [2, 4] {
        let saves = play.until(steps);
        same("saves", saves.len(), 1)?;
        play.saved_about(saves.first(), steps)?;
    }
    let last = plain(play.until(8));
    let ends = |r: &Report| matches!(r, Report::Exited { .. });
    ensure(last.iter().filter(|r| ends(r)).count() == 1, || format!("it does not end: {last:?}"))
}

pub(super) fn saved_work_is_not_done_again(play: &mut Play<'_>) -> Outcome {
    let mut job = play.job(play.for_steps(5));
    job.saved = play.span(3);
    play.assign(&job);
    same("before its end", play.before(2), vec![])?;
    same("at its end", plain(play.until(2)), vec![exited(0, 0, 1, 0)])
}
