//! What the server lends the executor of real processes: its directories, its clock, its own binary; and what it
//! does when the machine was started anew.

use crate::config::{Config, IsolationKind};
use crate::core::control::{Control, Unavailable};
use crate::core::entry::Origin;
use crate::first_run::node_name;
use crate::machine::by_model;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;
use tidegate_engine::ids::WorkspaceId;
use tidegate_engine::nodes::NodeState;
use tidegate_engine::state::Pool;
use tidegate_engine::{Command, Refusal};
use tidegate_executor::local::{
    DeviceCare, FaultFiles, GpuMeter, Gpus, Groups, Isolation, LocalExecutor, MeterFiles, Places,
    RealDevices, Settings, boot,
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

/// What holds for everything that runs on this machine.
#[derive(Clone, Debug)]
pub struct Host {
    pub isolation: Isolation,
    pub groups: Option<Groups>,
    places: Places,
}

impl Host {
    /// Looks what this machine offers, and readies the data directory for it.
    pub fn new(config: &Config, data: &Path) -> io::Result<Host> {
        let data = data.canonicalize()?;
        let places = Places::below(&data);
        let isolation = isolation(config, &places)?;
        tracing::info!(isolation = isolation.word(), "{}", isolation.text());
        let groups = match config.cgroups {
            true => {
                Groups::find(&tag(&data)).inspect_err(|why| tracing::info!(%why, "no control groups")).ok()
            }
            false => None,
        };
        match places.keep_runs_in_memory() {
            Ok(Some(place)) => tracing::info!(place = %place.display(), "runs are kept in memory"),
            Ok(None) => tracing::info!("runs are kept on the disk"),
            Err(error) => tracing::warn!(%error, "runs are kept on the disk"),
        }
        let limits = groups.as_ref().map_or(Vec::new(), |groups| groups.limits.words());
        let limits = if limits.is_empty() { "none".into() } else { limits.join(", ") };
        tracing::info!(groups = groups.is_some(), limits, "what the kernel bounds of each replica");
        Ok(Host { isolation, groups, places })
    }

    /// Whether processes of a workspace may be started; why not, in words.
    pub fn admits(&self, workspace: WorkspaceId) -> Result<(), String> {
        self.isolation.user(workspace).map(|_| ())
    }

    /// The executor over the data directory.
    pub fn executor(
        &self,
        config: &Config,
        supervisor: Vec<OsString>,
        control: Control,
        gpus: Option<Arc<Gpus>>,
    ) -> io::Result<LocalExecutor> {
        let nodes = gpus.as_ref().map(|gpus| nodes_of(&control, gpus)).unwrap_or_default();
        let names =
            |gpus: &Gpus, numbers: &[usize]| numbers.iter().map(|n| gpus.list[*n].uuid.clone()).collect();
        let device_names = nodes
            .iter()
            .filter_map(|(node, numbers)| Some((node.clone(), names(gpus.as_ref()?, numbers))))
            .collect();
        let inherited = ["PATH", "LANG", "HOME", "USER"];
        let env =
            inherited.iter().filter_map(|name| Some(((*name).into(), std::env::var(name).ok()?.into())));
        let (care, meter): (Box<dyn DeviceCare>, Arc<dyn GpuMeter>) = match gpus {
            Some(gpus) => {
                let devices = RealDevices { gpus, nodes };
                (Box::new(devices.clone()), Arc::new(devices))
            }
            None => (
                Box::new(FaultFiles::in_directory(self.places.faults())),
                Arc::new(MeterFiles::in_directory(self.places.meters())),
            ),
        };
        let settings = Settings {
            places: self.places.clone(),
            supervisor,
            isolation: self.isolation.clone(),
            groups: self.groups.clone(),
            work_limit: config.work_limit.map(|limit| limit.bytes()),
            log_limit: LOG_LIMIT,
            log_keep: LOG_KEEP,
            ports: 20_000..=29_999,
            env: env.collect(),
            device_names,
            gpu_meter: Some(meter),
        };
        LocalExecutor::new(settings, care, Box::new(move || control.clock().now()))
    }
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

fn isolation(config: &Config, places: &Places) -> io::Result<Isolation> {
    let (first, count, is_shared) = (config.first_uid, config.uid_count, config.allow_shared_user);
    let found = match config.isolation {
        IsolationKind::None => {
            return Ok(Isolation::None { why: "the configuration says so".into(), is_shared });
        }
        IsolationKind::Auto | IsolationKind::Uid => Isolation::here(first, count, is_shared),
    };
    if matches!(found, Isolation::Users { .. }) {
        if let Some(closed) = places.open_way()? {
            return Err(io::Error::other(format!(
                "the users of workspaces cannot pass {}, above their directories; hint: choose another data \
                 directory with --data, such as /var/lib/tidegate, or say isolation = \"none\" in the configuration",
                closed.display()
            )));
        }
    } else if config.isolation == IsolationKind::Uid {
        return Err(io::Error::other(format!(
            "isolation = \"uid\" cannot be had: {}; hint: run the server as root, or say isolation = \"auto\"",
            found.text()
        )));
    }
    Ok(found)
}

/// Tells the servers of one machine apart.
fn tag(data: &Path) -> String {
    let hash = Sha256::digest(data.as_os_str().as_bytes());
    hash[..4].iter().map(|byte| format!("{byte:02x}")).collect()
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
            let nodes = pools.flat_map(|pool| pool.nodes.iter().map(move |node| (pool, node)));
            let up = nodes.filter(|(_, node)| node.state != NodeState::Lost);
            let reason = |pool: &Pool, node| pool.reasons.get(&node).cloned().unwrap_or_default();
            let up: Vec<_> = up.map(|(pool, n)| (pool.id, n.id, n.state, reason(pool, n.id))).collect();
            for &(pool, node, ..) in &up {
                let (state, reason) = (NodeState::Lost, REBOOTED.into());
                deck.command(Command::SetNode { pool, node, state, reason })?;
            }
            // All of them are lost before any is back: what ran on several is lost once.
            for (pool, node, state, reason) in up {
                deck.command(Command::SetNode { pool, node, state, reason })?;
            }
            Ok(())
        });
        match lost {
            Ok(Ok(())) => tracing::warn!("{REBOOTED}: what ran was lost and waits again"),
            Ok(Err(refusal)) => tracing::error!(what = refusal.what(), "what ran could not be called lost"),
            Err(why) => return Ok(Err(why)),
        }
    }
    keep(&path, &now)?;
    Ok(Ok(!before.is_empty()))
}

/// Whole or not at all, and on the disk when it returns: the next start may be after a power cut.
fn keep(path: &Path, text: &str) -> io::Result<()> {
    let new = path.with_extension("new");
    let mut file = OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(&new)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(new, path)?;
    path.parent().map_or(Ok(()), |directory| std::fs::File::open(directory)?.sync_all())
}
