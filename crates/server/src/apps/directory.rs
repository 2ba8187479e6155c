//! Who can be reached under which path. Told by the executor, before the processes that are meant hear of it.

use super::readiness::{Looks, Probe};
use super::replica::Replica;
use super::site::{About, Site};
use crate::core::control::Control;
use crate::core::world::World;
use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};
use tidegate_engine::ids::WorkloadId;
use tidegate_engine::words::Module;
use tidegate_executor::local::{Endpoint, Place};

#[derive(Debug)]
pub(super) struct Directory {
    control: Control,
    looks: Looks,
    sites: RwLock<Sites>,
}

#[derive(Debug, Default)]
struct Sites {
    by_key: BTreeMap<Box<str>, Arc<Site>>,
    by_id: BTreeMap<WorkloadId, Arc<Site>>,
}

/// Whether requests are passed on to workloads of this module.
pub(super) fn can_be_reached(module: Module) -> bool {
    matches!(module, Module::Notebook | Module::Service)
}

/// The path of a workload, without the slash at the beginning.
pub(super) fn key(workspace: &str, name: &str) -> String {
    format!("{workspace}/{name}")
}

/// The path of a workload that is in memory.
pub(super) fn key_of(world: &World, id: WorkloadId) -> Option<String> {
    let w = world.engine.workload(id)?;
    Some(key(&world.people.workspace(w.spec.workspace)?.name, &w.spec.name))
}

impl Directory {
    pub(super) fn new(control: Control, looks: Looks) -> Directory {
        Directory { control, looks, sites: RwLock::default() }
    }

    /// By `WORKSPACE/NAME`.
    pub(super) fn find(&self, key: &str) -> Option<Arc<Site>> {
        self.sites.read().expect("nobody panics while looking").by_key.get(key).cloned()
    }

    pub(super) fn of(&self, workload: WorkloadId) -> Option<Arc<Site>> {
        self.sites.read().expect("nobody panics while looking").by_id.get(&workload).cloned()
    }

    pub(super) fn all(&self) -> Vec<Arc<Site>> {
        self.sites.read().expect("nobody panics while looking").by_id.values().cloned().collect()
    }

    /// Takes in what is now at a place.
    pub(super) fn take(&self, (workload, unit, index): Place, endpoint: Option<Endpoint>) {
        let known = self.of(workload);
        let Some(endpoint) = endpoint else {
            if let Some(site) = known {
                site.remove(unit, index);
                self.drop_if_empty(&site);
            }
            return;
        };
        // The world is looked at before the directory is locked: whoever has the one may want the other.
        let Some(site) = known.or_else(|| self.add(workload)) else { return };
        let same = |r: &Arc<Replica>| (r.run, r.port) == (endpoint.run, endpoint.port);
        match site.at(unit, index).filter(same) {
            Some(replica) if endpoint.leaves => replica.retire(),
            Some(replica) => replica.supervised_by(endpoint.supervisor),
            None => {
                let replica = Arc::new(Replica::new(unit, index, endpoint, self.control.clock().now()));
                site.put(replica.clone());
                if !endpoint.leaves {
                    self.looks.begin(&site, &replica, self.control.clone());
                }
            }
        }
    }

    fn add(&self, workload: WorkloadId) -> Option<Arc<Site>> {
        let about = self.control.read_blocking(|world| about(world, workload))?;
        let site = Arc::new(Site::new(about, self.control.clock().now()));
        let mut sites = self.sites.write().expect("nobody panics while looking");
        sites.by_key.insert(site.about.key.clone(), site.clone());
        sites.by_id.insert(workload, site.clone());
        Some(site)
    }

    fn drop_if_empty(&self, site: &Arc<Site>) {
        if !site.is_empty() {
            return;
        }
        let mut sites = self.sites.write().expect("nobody panics while looking");
        sites.by_id.remove(&site.about.id);
        // Another of the same name may have come meanwhile.
        if sites.by_key.get(&site.about.key).is_some_and(|there| Arc::ptr_eq(there, site)) {
            sites.by_key.remove(&site.about.key);
        }
    }
}

fn about(world: &World, id: WorkloadId) -> Option<About> {
    let w = world.engine.workload(id)?;
    let spec = &world.documents.get(&id)?.spec;
    let (key, of) = (key_of(world, id)?.into(), world.rooms.of(id)?);
    can_be_reached(w.spec.module).then(|| About {
        id,
        name: w.spec.name.clone(),
        key,
        of,
        module: w.spec.module,
        probe: Arc::new(Probe::of(spec.readiness.as_ref())),
        idle_timeout: spec.idle_timeout.map(|time| time.span()),
    })
}
