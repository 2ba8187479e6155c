//! What the server lends the executor of real processes: its directories, its clock, its own binary; and what it
//! does when the machine was started anew.

use crate::config::Config;
use crate::core::control::{Control, Unavailable};
use crate::core::entry::Origin;
use crate::first_run::node_name;
use crate::machine::by_model;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::sync::Arc;
use tidegate_engine::nodes::NodeState;
use tidegate_engine::{Command, Refusal};
use tidegate_executor::local::{
    DeviceCare, FaultFiles, Gpus, LocalExecutor, Places, RealDevices, Settings, boot,
};

/// The hidden verb of this binary that looks after one process.
pub const SUPERVISE: &str = "__supervise";
/// Keeps which life of the machine the server was last up in.
const BOOT_FILE: &str = "boot-id";
/// What a node says that was lost with the machine.
const REBOOTED: &str = "the machine was started anew";
/// A log file that has grown beyond this is put aside.
const LOG_LIMIT: u64 = 64 << 20;
/// How many log files that were put aside are kept of a replica.
const LOG_KEEP: u32 = 3;

/// This binary, as a supervisor.
pub fn supervisor() -> io::Result<Vec<OsString>> {
    Ok(vec![std::env::current_exe()?.into(), SUPERVISE.into()])
}

/// Where processes keep what is theirs, in a data directory.
pub fn places(data: &Path) -> io::Result<Places> {
    Ok(Places::below(data.canonicalize()?))
}

/// The executor over a data directory.
pub fn executor(
    _config: &Config,
    data: &Path,
    supervisor: Vec<OsString>,
    control: Control,
    gpus: Option<Arc<Gpus>>,
) -> io::Result<LocalExecutor> {
    let nodes = gpus.as_ref().map(|gpus| nodes_of(&control, gpus)).unwrap_or_default();
    let names = |gpus: &Gpus, numbers: &[usize]| numbers.iter().map(|n| gpus.list[*n].uuid.clone()).collect();
    let device_names =
        nodes.iter().filter_map(|(node, numbers)| Some((node.clone(), names(gpus.as_ref()?, numbers))));

    let inherited = ["PATH", "LANG", "HOME", "USER"];
    let env = inherited.iter().filter_map(|name| Some(((*name).into(), std::env::var(name).ok()?.into())));
    let settings = Settings {
        places: places(data)?,
        supervisor,
        first_user: None,
        log_limit: LOG_LIMIT,
        log_keep: LOG_KEEP,
        ports: 20_000..=29_999,
        env: env.collect(),
        device_names: device_names.collect(),
        cgroups: None,
    };
    let care: Box<dyn DeviceCare> = match gpus {
        Some(gpus) => Box::new(RealDevices { gpus, nodes }),
        None => Box::new(FaultFiles::in_directory(data.join("faults"))),
    };
    LocalExecutor::new(settings, care, Box::new(move || control.clock().now()))
}

/// The nodes whose GPUs are those of this machine: they were created by its first start, and are of the same model.
fn nodes_of(control: &Control, gpus: &Gpus) -> BTreeMap<Box<str>, Vec<usize>> {
    let models = by_model(&gpus.list).into_iter().enumerate();
    control.read_blocking(|world| {
        let is = |name: &str, model: &str| {
            let (pool, node) = world.engine.node_named(name)?;
            let pool = world.engine.pool(pool)?;
            let known = pool.nodes.model(node)?;
            (*pool.models[known.index()] == *model).then_some(())
        };
        let here = models.filter_map(|(i, (model, numbers))| {
            let name = node_name(i);
            is(&name, &model).map(|()| (name.into(), numbers))
        });
        here.collect()
    })
}

/// Whatever ran when the machine went down is lost, and waits again. Whether it went down.
pub fn after_reboot(control: &Control, data: &Path) -> io::Result<Result<bool, Unavailable>> {
    let path = data.join(BOOT_FILE);
    let (before, now) = (std::fs::read_to_string(&path).unwrap_or_default(), boot::boot_id()?);
    if before == now {
        return Ok(Ok(false));
    }
    if !before.is_empty() {
        let lost = control.write_blocking(Origin::new("system", "reboot"), |deck| -> Result<(), Refusal> {
            let pools = deck.world().engine.pools().iter();
            let nodes = pools.flat_map(|pool| pool.nodes.iter().map(move |node| (pool.id, node)));
            let ready = nodes.filter(|(_, node)| node.state == NodeState::Ready);
            let ready: Vec<_> = ready.map(|(pool, node)| (pool, node.id)).collect();
            let all = [(NodeState::Lost, REBOOTED), (NodeState::Ready, "")];
            for (state, reason) in all {
                for &(pool, node) in &ready {
                    deck.command(Command::SetNode { pool, node, state, reason: reason.into() })?;
                }
            }
            Ok(())
        });
        match lost {
            Ok(Ok(())) => tracing::warn!("{REBOOTED}: what ran was lost and waits again"),
            Ok(Err(refusal)) => tracing::error!(what = refusal.what(), "what ran could not be called lost"),
            Err(why) => return Ok(Err(why)),
        }
    }
    std::fs::write(path, now)?;
    Ok(Ok(!before.is_empty()))
}
