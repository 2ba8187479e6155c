//! One notebook or service that can be reached.

use super::readiness::Probe;
use super::replica::{Occupied, Replica};
use crate::core::rooms::Ownership;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, RwLock};
use tidegate_engine::ids::{Span, Tick, WorkloadId};
use tidegate_engine::words::Module;

/// What is known of a workload that can be reached; the same for its whole life.
#[derive(Clone, Debug)]
pub(super) struct About {
    pub(super) id: WorkloadId,
    pub(super) name: Box<str>,
    /// `WORKSPACE/NAME`.
    pub(super) key: Box<str>,
    /// Whose it is: who asks may be asked without a look at the world.
    pub(super) of: Ownership,
    pub(super) module: Module,
    pub(super) probe: Arc<Probe>,
    /// It is stopped when nobody has used it for so long.
    pub(super) idle_timeout: Option<Span>,
}

/// One workload, and its replicas that can be reached.
#[derive(Debug)]
pub(super) struct Site {
    pub(super) about: About,
    prefix: Box<str>,
    /// By unit and index.
    replicas: RwLock<Vec<Arc<Replica>>>,
    /// Whose turn it is among equals.
    turn: AtomicUsize,
    /// When somebody last used it.
    used: AtomicU64,
    /// Requests under way.
    open: AtomicUsize,
}

impl Site {
    pub(super) fn new(about: About, now: Tick) -> Site {
        Site {
            prefix: format!("/{}", about.key).into(),
            about,
            replicas: RwLock::default(),
            turn: AtomicUsize::new(0),
            used: AtomicU64::new(now.0),
            open: AtomicUsize::new(0),
        }
    }

    /// The path that leads there, without a slash at the end.
    pub(super) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// A notebook knows its own paths; a service does not care under which it is reached.
    pub(super) fn keeps_path(&self) -> bool {
        self.about.module == Module::Notebook
    }

    /// How people call one of its replicas.
    pub(super) fn replica_name(&self, replica: &Replica) -> String {
        match self.about.module {
            Module::Service => format!("{} replica {}", self.about.name, replica.unit),
            _ => self.about.name.to_string(),
        }
    }

    pub(super) fn replicas(&self) -> Vec<Arc<Replica>> {
        self.replicas.read().expect("nobody panics while looking").clone()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.replicas.read().expect("nobody panics while looking").is_empty()
    }

    /// The replica at this place, if there is one.
    pub(super) fn at(&self, unit: u32, index: u32) -> Option<Arc<Replica>> {
        let replicas = self.replicas.read().expect("nobody panics while looking");
        replicas.iter().find(|r| (r.unit, r.index) == (unit, index)).cloned()
    }

    pub(super) fn put(&self, replica: Arc<Replica>) {
        let mut replicas = self.replicas.write().expect("nobody panics while looking");
        let place = (replica.unit, replica.index);
        match replicas.binary_search_by_key(&place, |r| (r.unit, r.index)) {
            Ok(at) => std::mem::replace(&mut replicas[at], replica).retire(),
            Err(at) => replicas.insert(at, replica),
        }
    }

    pub(super) fn remove(&self, unit: u32, index: u32) {
        let mut replicas = self.replicas.write().expect("nobody panics while looking");
        replicas.retain(|r| {
            let stays = (r.unit, r.index) != (unit, index);
            if !stays {
                r.retire();
            }
            stays
        });
    }

    /// Who is to have the next request: who has the fewest, in turn among equals. `tried` is not asked again while
    /// there is another.
    pub(super) fn pick(&self, tried: &[u16]) -> Option<Occupied> {
        let replicas = self.replicas.read().expect("nobody panics while looking");
        let count = replicas.len();
        let first = self.turn.fetch_add(1, Ordering::Relaxed);
        let in_turn = (0..count).map(|step| &replicas[(first.wrapping_add(step)) % count]);
        let ready = in_turn.filter(|r| r.takes_requests());
        ready.min_by_key(|r| (tried.contains(&r.port), r.outstanding())).map(Replica::occupy)
    }

    /// Somebody uses it.
    pub(super) fn touch(&self, now: Tick) {
        self.used.fetch_max(now.0, Ordering::Relaxed);
    }

    /// Counts a request until the guard is dropped.
    pub(super) fn enter(self: &Arc<Self>, now: Tick) -> Visit {
        self.touch(now);
        self.open.fetch_add(1, Ordering::Relaxed);
        Visit(self.clone())
    }

    /// For how long nobody has used it.
    pub(super) fn unused_for(&self, now: Tick) -> Span {
        if self.open.load(Ordering::Relaxed) > 0 {
            return Span(0);
        }
        now.since(Tick(self.used.load(Ordering::Relaxed)))
    }

    /// Why nobody takes a request.
    pub(super) fn why_not(&self) -> String {
        let replicas = self.replicas();
        let count = |is: &dyn Fn(&Replica) -> bool| replicas.iter().filter(|r| is(r)).count();
        let leaving = count(&|r| r.leaves());
        let unready = |was: bool| count(&|r| !r.leaves() && r.state().was_ready == was);
        let mut parts = Vec::new();
        for (number, what) in
            [(unready(false), "starting"), (unready(true), "not ready"), (leaving, "leaving")]
        {
            match number {
                0 => {}
                1 => parts.push(format!("1 replica {what}")),
                _ => parts.push(format!("{number} replicas {what}")),
            }
        }
        let last = replicas.iter().find(|r| !r.leaves()).map(|r| r.state().why.to_string());
        parts.extend(last.filter(|why| !why.is_empty()));
        parts.join("; ")
    }
}

/// A request under way.
#[derive(Debug)]
pub(super) struct Visit(Arc<Site>);

impl Drop for Visit {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::super::replica::Seen;
    use super::*;
    use tidegate_engine::ids::{MemberId, WorkspaceId};
    use tidegate_executor::local::Endpoint;

    fn site(replicas: u32) -> Arc<Site> {
        let probe = Arc::new(Probe::default());
        let about = About {
            id: WorkloadId(1),
            name: "web".into(),
            key: "default/web".into(),
            of: Ownership { workspace: WorkspaceId::DEFAULT, owner: MemberId(0), private: false },
            module: Module::Service,
            probe,
            idle_timeout: None,
        };
        let site = Arc::new(Site::new(about, Tick(0)));
        for unit in 0..replicas {
            let endpoint = Endpoint { run: 1, port: 100 + unit as u16, leaves: false, supervisor: None };
            let replica = Arc::new(Replica::new(unit, 0, endpoint, Tick(0)));
            replica.saw(Seen::Ready, Tick(0));
            site.put(replica);
        }
        site
    }

    #[test]
    fn requests_go_to_who_has_the_fewest_and_in_turn_among_equals() {
        let site = site(3);
        let pick = || site.pick(&[]).expect("somebody is ready");
        let mut taken: Vec<u16> = (0..3).map(|_| pick()).map(|o| o.replica().port).collect();
        taken.sort_unstable();
        assert_eq!(taken, [100, 101, 102], "in turn");
        let held = [pick(), pick()];
        let next = pick();
        assert!(held.iter().all(|o| o.replica().port != next.replica().port), "the fewest");
    }

    #[test]
    fn who_failed_is_asked_again_only_if_there_is_nobody_else() {
        let site = site(2);
        for _ in 0..4 {
            assert_eq!(site.pick(&[100]).expect("the other").replica().port, 101);
        }
        site.at(1, 0).expect("there").retire();
        assert_eq!(site.pick(&[100]).expect("the last").replica().port, 100);
        site.remove(0, 0);
        assert!(site.pick(&[]).is_none());
        assert_eq!(site.why_not(), "1 replica leaving");
    }

    #[test]
    fn why_nobody_answers_is_said() {
        let site = site(1);
        for unit in [5, 6] {
            let endpoint = Endpoint { run: 1, port: 200 + unit as u16, leaves: false, supervisor: None };
            let replica = Arc::new(Replica::new(unit, 0, endpoint, Tick(0)));
            replica.saw(Seen::Failing("readiness /health answers 500".into()), Tick(0));
            site.put(replica);
        }
        site.remove(0, 0);
        assert_eq!(site.why_not(), "2 replicas starting; readiness /health answers 500");
    }

    #[test]
    fn a_request_under_way_is_use() {
        let site = site(1);
        let visit = site.enter(Tick(5));
        assert_eq!(site.unused_for(Tick(100)), Span(0));
        drop(visit);
        assert_eq!(site.unused_for(Tick(100)), Span(95));
    }
}
