//! The engine in random worlds: every step is judged by the checker, by a twin built from the log, and by
//! the rules written once more.

use proptest::strategy::Strategy;
use tidegate_props::stage::Stage;
use tidegate_props::{step, trial, world};

const WORLDS: u32 = 200;
const STEPS: usize = 60;

#[test]
fn every_step_in_random_worlds_is_right() {
    let worlds = (world::world(), step::steps(STEPS)).prop_map(|(world, steps)| (world.commands(), steps));
    trial::hold(WORLDS, &worlds, |(commands, steps)| {
        trial::shortened(&steps, |steps| {
            let mut stage = Stage::new();
            stage.build(commands.clone())?;
            steps.iter().try_for_each(|s| stage.step(s))?;
            stage.explain_all()?;
            stage.finish()
        })
    });
}
