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
pub fn first_run(control: &Control, machines: Vec<Machine>) -> Result<Result<bool, Refusal>, Unavailable> {
    control.write_blocking(Origin::new("system", "first-run"), move |deck| {
        if deck.world().next > 0 {
            return Ok(false);
        }
        let commands = commands(&machines);
        commands.into_iter().try_for_each(|command| deck.command(command).map(|_| ()))?;
        Ok(true)
    })
}

/// The name of a node of the first start.
pub fn node_name(number: usize) -> String {
    format!("{POOL}-{number}")
}

fn commands(machines: &[Machine]) -> Vec<Command> {
    let mut commands = vec![Command::CreatePool { name: POOL.into(), kind: PoolKind::General }];
    let mut guarantee = Resources::default();
    let mut models: Vec<&str> = Vec::new();
    let mut number = 0;
    for machine in machines {
        for _ in 0..machine.nodes {
            commands.push(Command::AddNode {
                pool: PoolId(0),
                model: (machine.gpus > 0).then(|| machine.model.clone()),
                spec: NodeSpec {
                    name: node_name(number).into(),
                    model: None,
                    gpus: machine.gpus,
                    cpu: machine.cpu,
                    memory: machine.memory,
                },
            });
            number += 1;
        }
        let gpus = i64::from(machine.nodes) * i64::from(machine.gpus) * i64::from(WHOLE);
        if gpus > 0 {
            // Models are numbered as they come.
            let known = models.iter().position(|model| *model == &*machine.model);
            let model = known.unwrap_or_else(|| {
                models.push(&machine.model);
                models.len() - 1
            });
            guarantee = guarantee.plus(&Resources::gpus(ModelId(model as u8), gpus));
        }
    }
    commands.push(Command::CreateQuota(Box::new(QuotaSpec {
        name: QUOTA.into(),
        source: Source::Pool(PoolId(0)),
        guarantee,
        policy: Policy::default(),
    })));
    commands
}
