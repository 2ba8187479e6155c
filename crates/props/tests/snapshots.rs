//! An engine that was written down and read back goes on as if nothing had been.

use proptest::strategy::Strategy;
use tidegate_engine::ids::Tick;
use tidegate_engine::{Command, Engine};
use tidegate_props::{step, trial, world};

const WORLDS: u32 = 60;
const STEPS: usize = 50;
/// Steps between two snapshots.
const EVERY: usize = 7;

fn write(engine: &Engine) -> Vec<u8> {
    postcard::to_stdvec(engine).expect("every part can be written")
}

/// Reads a snapshot, and sees that nothing is missing.
fn restored(engine: &Engine) -> Result<Engine, String> {
    let bytes = write(engine);
    let copy: Engine = postcard::from_bytes(&bytes).map_err(|e| format!("it cannot be read: {e}"))?;
    let same = copy == *engine && write(&copy) == bytes;
    if same { Ok(copy) } else { Err("what was read is not what was written".into()) }
}

/// Gives both the same command: they answer the same, and stay the same in every part.
fn order(engine: &mut Engine, copy: &mut Engine, at: Tick, command: Command) -> Result<(), String> {
    let (said, again) = (engine.handle(at, command.clone()), copy.handle(at, command.clone()));
    if said != again {
        return Err(format!("{command:?}\n  was answered by {said:?}\n  and after a restart by {again:?}"));
    }
    if engine.next_due() != copy.next_due() || write(engine) != write(copy) {
        return Err(format!("after {command:?} they differ"));
    }
    Ok(())
}

#[test]
fn a_restored_engine_goes_on_as_the_first() {
    let worlds = (world::world(), step::steps(STEPS)).prop_map(|(world, steps)| (world.commands(), steps));
    trial::hold(WORLDS, &worlds, |(commands, steps)| {
        trial::shortened(&steps, |steps| {
            let (mut engine, mut copy, mut now) = (Engine::new(), Engine::new(), Tick::ZERO);
            commands.iter().try_for_each(|c| order(&mut engine, &mut copy, now, c.clone()))?;
            for (i, step) in steps.iter().enumerate() {
                if i % EVERY == 0 {
                    copy = restored(&engine)?;
                }
                let (at, commands) = step.commands(&engine, now, i + 1);
                for command in commands {
                    order(&mut engine, &mut copy, at, command)?;
                }
                now = at;
            }
            Ok(())
        })
    });
}
