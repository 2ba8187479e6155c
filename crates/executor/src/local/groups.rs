//! Control groups (cgroup v2): whoever is in one can be killed as one, and takes no more than the group may.
//!
//! ```text
//! BASE/server              this server and the supervisors
//! BASE/tidegate-TAG/       all replicas of one data directory
//! BASE/tidegate-TAG/RUN    one of them
//! ```
//!
//! A server that was not put into a group `server` makes its groups in its own. The kernel then bounds nothing, since
//! that group has processes of its own, but kills as one.

use crate::supervisor::Group;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The group that a server is put into by whoever lets it bound others, such as systemd's `DelegateSubgroup=`.
const SERVER: &str = "server";
/// Processes and threads of a replica, so that one that starts others without end harms nobody else.
pub const MAX_PROCESSES: u32 = 32_768;
/// What a share of the cores is measured against, in microseconds.
const PERIOD: u64 = 100_000;

/// What the kernel bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    pub memory: bool,
    pub cpu: bool,
    pub processes: bool,
}

impl Limits {
    /// By a file that lists controllers.
    fn listed(controllers: &str) -> Limits {
        let has = |name: &str| controllers.split_whitespace().any(|word| word == name);
        Limits { memory: has("memory"), cpu: has("cpu"), processes: has("pids") }
    }

    pub fn words(self) -> Vec<&'static str> {
        let all = [(self.memory, "memory"), (self.cpu, "cpu"), (self.processes, "processes")];
        all.into_iter().filter(|(holds, _)| *holds).map(|(_, word)| word).collect()
    }
}

/// Where the groups of a server are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups {
    /// All replicas.
    tree: PathBuf,
    /// This server and the supervisors.
    home: PathBuf,
    pub limits: Limits,
}

impl Groups {
    /// Groups for a data directory, if this process may have any. `tag` tells servers of one machine apart.
    pub fn find(tag: &str) -> io::Result<Groups> {
        let mounts = fs::read_to_string("/proc/self/mountinfo")?;
        let own = fs::read_to_string("/proc/self/cgroup")?;
        let own = own_group(&mounts, &own)
            .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "there is no cgroup v2 hierarchy"))?;
        Groups::below(&own, tag)
    }

    /// Groups below the one that this process is in.
    fn below(own: &Path, tag: &str) -> io::Result<Groups> {
        // Only a group without processes of its own can bound those below it.
        let is_beside = own.file_name().is_some_and(|name| name == SERVER);
        let base = own.parent().filter(|_| is_beside).unwrap_or(own);
        let tree = base.join(format!("tidegate-{tag}"));
        make_directory(&tree)?;
        for group in [base, &tree] {
            for controller in ["+memory", "+cpu", "+pids"] {
                // Those that are not there are not among the limits.
                let _ = fs::write(group.join("cgroup.subtree_control"), controller);
            }
        }
        let enabled = fs::read_to_string(tree.join("cgroup.subtree_control")).unwrap_or_default();
        let home = own.to_path_buf();
        let groups = Groups { tree, home, limits: Limits::listed(&enabled) };
        groups.probe()?;
        Ok(groups)
    }

    /// Whether a group can be had, left and killed.
    fn probe(&self) -> io::Result<()> {
        let probe = self.tree.join("probe");
        make_directory(&probe)?;
        let works = match probe.join("cgroup.kill").exists() {
            true => fs::OpenOptions::new().write(true).open(probe.join("cgroup.procs")).map(|_| ()),
            false => Err(io::Error::new(io::ErrorKind::Unsupported, "the kernel has no cgroup.kill")),
        };
        remove(&probe);
        works
    }

    /// The group of one run.
    pub(super) fn of(&self, name: &str, memory: u64, cpu: u32) -> Group {
        Group {
            path: self.tree.join(name),
            home: self.home.clone(),
            memory: (self.limits.memory && memory > 0).then_some(memory),
            cpu: (self.limits.cpu && cpu > 0).then_some(cpu),
            processes: self.limits.processes.then_some(MAX_PROCESSES),
        }
    }

    /// Ends and removes what is left of runs that nobody knows. Whether all of it is gone.
    pub(super) fn sweep(&self, is_known: impl Fn(&str) -> bool) -> bool {
        let mut is_clean = true;
        for entry in fs::read_dir(&self.tree).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if entry.path().is_dir() && !name.to_str().is_some_and(&is_known) {
                kill(&entry.path());
                remove(&entry.path());
                is_clean &= !entry.path().exists();
            }
        }
        is_clean
    }
}

/// The directory of this process's group: of `mountinfo` where the hierarchy is, of `cgroup` where in it.
fn own_group(mounts: &str, cgroup: &str) -> Option<PathBuf> {
    let own = cgroup.lines().find_map(|line| line.strip_prefix("0::"))?;
    mounts.lines().find_map(|line| {
        let (mount, filesystem) = line.split_once(" - ")?;
        if !filesystem.starts_with("cgroup2 ") {
            return None;
        }
        let mut fields = mount.split(' ').skip(3);
        let (root, point) = (fields.next()?, fields.next()?);
        let below = Path::new(own).strip_prefix(root).ok()?;
        Some(Path::new(point).join(below))
    })
}

fn make_directory(path: &Path) -> io::Result<()> {
    match fs::create_dir(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Makes a group with its limits.
pub(crate) fn make(group: &Group) -> io::Result<()> {
    make_directory(&group.path)?;
    let set = |name: &str, value: String| {
        let set = fs::write(group.path.join(name), value);
        set.map_err(|error| io::Error::new(error.kind(), format!("{name}: {error}")))
    };
    let limited = || -> io::Result<()> {
        if let Some(memory) = group.memory {
            set("memory.max", memory.to_string())?;
            // Not on every machine: without swap there is nothing to bound.
            let _ = set("memory.swap.max", "0".into());
            // The replica is killed as one, rather than limping on.
            let _ = set("memory.oom.group", "1".into());
        }
        if let Some(cpu) = group.cpu {
            let (cpu, whole) = (u64::from(cpu), 1_000);
            set("cpu.weight", (cpu * 100 / whole).clamp(1, 10_000).to_string())?;
            set("cpu.max", format!("{} {PERIOD}", (cpu * PERIOD / whole).max(1_000)))?;
        }
        group.processes.map_or(Ok(()), |processes| set("pids.max", processes.to_string()))
    };
    limited().inspect_err(|_| remove(&group.path))
}

/// Moves this process there.
pub(crate) fn enter(group: &Path) -> io::Result<()> {
    fs::write(group.join("cgroup.procs"), "0")
}

pub(crate) fn is_in(group: &Path) -> bool {
    let own = std::process::id().to_string();
    fs::read_to_string(group.join("cgroup.procs")).is_ok_and(|procs| procs.lines().any(|pid| pid == own))
}

/// Kills all that are in it or below it.
pub(crate) fn kill(group: &Path) {
    let _ = fs::write(group.join("cgroup.kill"), "1");
}

pub(crate) fn is_populated(group: &Path) -> bool {
    fs::read_to_string(group.join("cgroup.events")).is_ok_and(|text| text.contains("populated 1"))
}

/// Whether the kernel killed anything there because of its limit of memory.
pub(crate) fn out_of_memory(group: &Path) -> bool {
    let events = fs::read_to_string(group.join("memory.events")).unwrap_or_default();
    let kills = events.lines().find_map(|line| line.strip_prefix("oom_kill "));
    kills.is_some_and(|count| count.trim() != "0")
}

/// Processor time of all that ever were in it, in microseconds.
pub(crate) fn processor_time(group: &Path) -> Option<u64> {
    let stat = fs::read_to_string(group.join("cpu.stat")).ok()?;
    stat.lines().find_map(|line| line.strip_prefix("usage_usec "))?.trim().parse().ok()
}

/// Removes it with all below it; refused by the kernel as long as anything is in it.
pub(crate) fn remove(group: &Path) {
    // Hardly ever is anything below it, and to look costs many times as much.
    if fs::remove_dir(group).is_ok() {
        return;
    }
    let below = fs::read_dir(group).into_iter().flatten().flatten();
    let is_group = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    below.filter(is_group).for_each(|entry| remove(&entry.path()));
    let _ = fs::remove_dir(group);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_group_is_found_wherever_the_hierarchy_is() {
        let hybrid = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n\
                      41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw\n";
        let one = "29 22 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n";
        let within = "29 22 0:26 /a/b /sys/fs/cgroup rw - cgroup2 cgroup rw\n";
        for (mounts, cgroup, wanted) in [
            (hybrid, "1:cpu:/x\n0::/\n", Some("/sys/fs/cgroup/unified/")),
            (
                one,
                "0::/system.slice/tidegate.service\n",
                Some("/sys/fs/cgroup/system.slice/tidegate.service"),
            ),
            (within, "0::/a/b/c\n", Some("/sys/fs/cgroup/c")),
            (within, "0::/elsewhere\n", None),
            ("22 1 8:1 / / rw - ext4 /dev/sda rw\n", "0::/\n", None),
            (one, "4:memory:/\n", None),
        ] {
            assert_eq!(own_group(mounts, cgroup), wanted.map(PathBuf::from), "{mounts}{cgroup}");
        }
    }

    #[test]
    fn a_group_goes_with_all_below_it() {
        let directory = tempfile::tempdir().unwrap();
        let group = directory.path().join("run");
        fs::create_dir_all(group.join("a/b")).unwrap();
        fs::create_dir(group.join("c")).unwrap();
        remove(&group);
        assert!(!group.exists());
        // Once more does no harm.
        remove(&group);
    }

    #[test]
    fn limits_are_written_and_kills_are_read() {
        let directory = tempfile::tempdir().unwrap();
        let limits = Limits::listed("cpuset cpu memory pids\n");
        assert_eq!(limits.words(), ["memory", "cpu", "processes"]);
        assert_eq!(Limits::listed("hugetlb\n").words(), Vec::<&str>::new());
        let groups = Groups { tree: directory.path().into(), home: "/".into(), limits };
        let group = groups.of("1-0-0-5.0", 2 << 30, 1_500);
        make(&group).unwrap();
        let read = |name: &str| fs::read_to_string(group.path.join(name)).unwrap();
        assert_eq!((read("memory.max"), read("memory.oom.group")), ("2147483648".into(), "1".into()));
        assert_eq!((read("cpu.max"), read("cpu.weight")), ("150000 100000".into(), "150".into()));
        assert_eq!(read("pids.max"), MAX_PROCESSES.to_string());
        assert!(!out_of_memory(&group.path));
        fs::write(group.path.join("memory.events"), "low 0\noom 3\noom_kill 0\noom_group_kill 0\n").unwrap();
        assert!(!out_of_memory(&group.path));
        fs::write(group.path.join("memory.events"), "low 0\noom 3\noom_kill 2\n").unwrap();
        assert!(out_of_memory(&group.path));
        fs::write(group.path.join("cpu.stat"), "usage_usec 1234\nuser_usec 1000\n").unwrap();
        assert_eq!(processor_time(&group.path), Some(1_234));
        let none = Groups { limits: Limits::default(), ..groups };
        assert_eq!(none.of("x", 1, 1).memory, None);
    }
}
