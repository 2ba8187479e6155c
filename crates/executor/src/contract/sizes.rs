//! Growing and shrinking.

use super::play::{FIRST, Outcome, Play, asked_to_leave, exited, gone, plain, replica, same};
use crate::launch::Work;
use tidegate_engine::words::Module;

pub(super) fn a_job_that_shrinks_starts_again(play: &mut Play<'_>) -> Outcome {
    let whole = play.job_of(FIRST, play.for_steps(5), 1, &[(0, 1), (1, 1), (2, 1)]);
    play.assign(&whole);
    play.before(2);
    let mut shrunk = play.job_of(FIRST, play.for_steps(5), 4, &[(0, 1), (1, 1)]);
    let leaving = asked_to_leave(&whole, 4, play.at(4)).leaving;
    shrunk.leaving = leaving.into_iter().filter(|l| l.unit == 2).collect();
    play.assign(&shrunk);
    same("by its time", plain(play.until(4)), vec![gone(2, 1)])?;
    same("running", play.running(FIRST), vec![(0, 0, 4), (1, 0, 4)])?;
    same("when the first run would have ended", play.until(5), vec![])?;
    same("at its end", plain(play.until(7)), vec![exited(0, 0, 4, 0), exited(1, 0, 4, 0)])
}

pub(super) fn a_job_that_grows_starts_again(play: &mut Play<'_>) -> Outcome {
    let small = play.job_of(FIRST, play.for_steps(4), 1, &[(0, 1)]);
    play.assign(&small);
    play.before(2);
    let mut grown = play.job_of(FIRST, play.for_steps(4), 2, &[(0, 1), (1, 1)]);
    grown.saved = play.span(1);
    play.assign(&grown);
    same("running", play.running(FIRST), vec![(0, 0, 2), (1, 0, 2)])?;
    same("when the first run would have ended", play.until(4), vec![])?;
    same("at its end", plain(play.until(5)), vec![exited(0, 0, 2, 0), exited(1, 0, 2, 0)])
}

pub(super) fn replicas_of_a_service_are_on_their_own(play: &mut Play<'_>) -> Outcome {
    let mut service = play.nothing(FIRST, Module::Service, Work::default());
    (service.generation, service.run) = (1, 1);
    service.replicas.push(replica(0, 0, 1, play.at(0)));
    play.assign(&service);
    play.before(1);
    service.generation = 2;
    service.replicas.push(replica(1, 0, 2, play.at(1)));
    play.assign(&service);
    same("running", play.running(FIRST), vec![(0, 0, 1), (1, 0, 2)])?;
    let mut less = asked_to_leave(&service, 3, play.at(3));
    less.leaving.retain(|l| l.unit == 0);
    less.replicas = service.replicas[1..].to_vec();
    play.assign(&less);
    same("by its time", plain(play.until(3)), vec![gone(0, 1)])?;
    same("running", play.running(FIRST), vec![(1, 0, 2)])?;
    same("reports", play.until(5), vec![])
}
