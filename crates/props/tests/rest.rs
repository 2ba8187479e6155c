//! No chain of evictions returns to its start: without further commands, every world comes to rest.

use proptest::strategy::Strategy;
use tidegate_props::stage::Stage;
use tidegate_props::{step, trial, world};

const WORLDS: u32 = 60;
const STEPS: usize = 50;
/// Reports and timers after the last command. The longest chains seen take a few dozen.
const MOST: usize = 400;
/// Timers without effect after which nothing more is expected: a `balance` window widens for ever.
const QUIET: usize = 12;

#[test]
fn every_world_comes_to_rest() {
    let worlds = (world::world(), step::steps(STEPS)).prop_map(|(world, steps)| (world.commands(), steps));
    trial::hold(WORLDS, &worlds, |(commands, steps)| {
        trial::shortened(&steps, |steps| {
            let mut stage = Stage::new();
            stage.build(commands.clone())?;
            steps.iter().try_for_each(|s| stage.step(s))?;
            stage.come_to_rest(MOST, QUIET)?;
            stage.finish()
        })
    });
}
