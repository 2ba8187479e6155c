//! The first start: a pool of what is there, and a quota over all of it, so that work can be submitted at once.

use crate::core::control::{Control, Unavailable};
use crate::core::entry::Origin;
use crate::machine::Machine;
use tidegate_engine::ids::{ModelId, PoolId};
use tidegate_engine::nodes::NodeSpec;
use tidegate_engine::policy::{Policy, QuotaSpec, Source};
use tidegate_engine::resources::{Resources, WHOLE};
use tidegate_engine::words::PoolKind;
use tidegate_engine::{Command, Refusal};

/// The pool of a first start.
pub const POOL: &str = "local";
/// The root quota over all of it.
pub const QUOTA: &str = "main";

/// Creates pool and quota if the log is empty. Whether it did.
pub fn first_run(control: &Control, machine: Machine) -> Result<Result<bool, Refusal>, Unavailable> {
    control.write_blocking(Origin::new("system", "first-run"), move |deck| {
        if deck.world().next > 0 {
            return Ok(false);
        }
        let commands = commands(&machine);
        commands.into_iter().try_for_each(|command| deck.command(command).map(|_| ()))?;
        Ok(true)
    })
}

fn commands(machine: &Machine) -> Vec<Command> {
    let mut commands = vec![Command::CreatePool { name: POOL.into(), kind: PoolKind::General }];
    for node in 0..machine.nodes {
        commands.push(Command::AddNode {
            pool: PoolId(0),
            model: (machine.gpus > 0).then(|| machine.model.clone()),
            spec: NodeSpec {
                name: format!("{POOL}-{node}").into(),
                model: None,
                gpus: machine.gpus,
                cpu: machine.cpu,
                memory: machine.memory,
            },
        });
    }
    let gpus = i64::from(machine.nodes) * i64::from(machine.gpus) * i64::from(WHOLE);
    let guarantee = if gpus > 0 { Resources::gpus(ModelId(0), gpus) } else { Resources::default() };
    commands.push(Command::CreateQuota(Box::new(QuotaSpec {
        name: QUOTA.into(),
        source: Source::Pool(PoolId(0)),
        guarantee,
        policy: Policy::default(),
    })));
    commands
}
