//! Whatever is asked, the engine answers: with events or with a refusal, never with a panic.

use proptest::strategy::Strategy;
use tidegate_engine::ids::Tick;
use tidegate_props::stage::Stage;
use tidegate_props::{garbage, step, trial, world};

const CASES: u32 = 200;
const COMMANDS: usize = 40;

#[test]
fn garbage_is_refused_or_carried_out_and_changes_nothing_by_half() {
    let commands = proptest::collection::vec((garbage::moment(), garbage::command()), 1..COMMANDS);
    let worlds = (world::world(), step::steps(12), commands)
        .prop_map(|(world, steps, c)| (world.commands(), steps, c));
    trial::hold(CASES, &worlds, |(world, steps, commands)| {
        trial::shortened(&commands, |commands| {
            let mut stage = Stage::new();
            stage.build(world.clone())?;
            steps.iter().try_for_each(|s| stage.step(s))?;
            for (later, command) in commands {
                // Most commands come a little later than the one before; others at any time.
                let at = if *later < 60_000 { stage.now.0.saturating_add(*later) } else { *later };
                stage.order(Tick(at), command.clone())?;
            }
            stage.explain_all()
        })
    });
}
