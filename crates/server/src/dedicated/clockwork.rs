//! What happens to dedicated compute by time: periods begin and are over, compute by usage grows and shrinks.

use super::{growth, periods};
use crate::core::control::{Control, Unavailable};
use crate::core::entry::Origin;
use crate::core::world::World;
use std::collections::BTreeMap;
use tidegate_billing::dedicated::{ConfigId, Terms};
use tidegate_billing::scaling::Step;
use tidegate_engine::ids::Tick;

/// How often it is looked.
const LOOK: std::time::Duration = std::time::Duration::from_secs(1);

const SETTLED: &str = "resource-config.settle";
const SCALED: &str = "resource-config.scale";

/// Looks for ever. The first look catches up with what was due while no server ran.
pub async fn look_after(control: Control) {
    // Since when each could do with less. Lost with the server: then it shrinks a little later.
    let mut calm = BTreeMap::new();
    loop {
        look(&control, &mut calm).await;
        tokio::time::sleep(LOOK).await;
    }
}

/// Makes the books as they should be by now, if they are not. Whoever reads what periods cost asks for it first: what it
/// is told of the past then stays so.
pub async fn settled(control: &Control) -> Result<(), Unavailable> {
    let now = control.clock().now();
    match control.read_blocking(|world| periods::is_due(world, now)) {
        true => control.write(Origin::new("system", SETTLED), periods::settle).await,
        false => Ok(()),
    }
}

async fn look(control: &Control, calm: &mut BTreeMap<ConfigId, Tick>) {
    let now = control.clock().now();
    let (due, grows) = control.read_blocking(|world| {
        // Nobody has any: nothing is looked at.
        match world.business.configs().next() {
            None => (false, Vec::new()),
            Some(_) => (periods::is_due(world, now), by_usage(world, now, calm)),
        }
    });
    // What fails is tried again at the next look.
    if due {
        let _ = control.write(Origin::new("system", SETTLED), periods::settle).await;
    }
    calm.clear();
    for (id, since, changes) in grows {
        let since = match changes {
            false => since,
            true => {
                let looked =
                    control.write(Origin::new("system", SCALED), move |deck| growth::look(deck, id, since));
                looked.await.ok().flatten()
            }
        };
        calm.extend(since.map(|since| (id, since)));
    }
}

/// Configs by usage: since when each could do with less, and whether it is to grow or to shrink.
fn by_usage(
    world: &World,
    now: Tick,
    calm: &BTreeMap<ConfigId, Tick>,
) -> Vec<(ConfigId, Option<Tick>, bool)> {
    let all = world.business.configs().map(|config| &config.record);
    let all = all.filter(|config| matches!(config.terms, Terms::ByUsage(_)));
    all.filter_map(|config| {
        let before = calm.get(&config.id).copied();
        let verdict = growth::verdict(world, config, now, before)?;
        let changes = verdict.step != Step::Stay;
        Some((config.id, if changes { before } else { verdict.calm }, changes))
    })
    .collect()
}
