//! Workspaces are kept apart, and from the server: real processes that try.

mod stage;

use stage::{Stage, is_alive, is_root, together};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use tidegate_engine::ids::{WorkloadId, WorkspaceId};
use tidegate_executor::local::Isolation;

const FIRST: u32 = 1_900_000_000;

/// Tries this, and says so if it succeeds.
fn attempt(what: &str, command: &str) -> String {
    format!("if {command} >/dev/null 2>&1; then echo 'succeeded: {what}'; fi\n")
}

#[test]
fn a_workspace_reaches_neither_the_server_nor_another_workspace() {
    if !is_root() {
        eprintln!("skipped: only root can run processes as other users");
        return;
    }
    let mut stage = Stage::new(|settings| settings.isolation = Isolation::here(FIRST, 10, false));
    let data = stage.directory.path().to_path_buf();
    for secret in ["admin.token", "tidegate.db"] {
        std::fs::write(data.join(secret), "secret").expect("written");
        std::fs::set_permissions(data.join(secret), Permissions::from_mode(0o600)).expect("set");
    }
    stage.start(1, 0, "echo secret > mine; echo secret > $HOME/mine; echo $$ > pid; exec sleep 1000");
    let other = stage.line_of(1, 0, "pid");
    let theirs = stage.places().directory(WorkspaceId(0), WorkloadId(1), "case");
    let home = stage.places().home(WorkspaceId(0));
    let path = |path: &std::path::Path| path.display().to_string();
    let (theirs, home, data) = (path(&theirs), path(&home), path(&data));
    let attempts = [
        attempt("read the token", &format!("cat {data}/admin.token")),
        attempt("read the store", &format!("cat {data}/tidegate.db")),
        attempt("list the data directory", &format!("ls {data}")),
        attempt("write to the data directory", &format!("touch {data}/x")),
        attempt("list the runs", &format!("ls {data}/runs")),
        attempt("list its own runs", "ls $TIDEGATE_RUN"),
        attempt("read its own order", "cat $TIDEGATE_RUN/order.json"),
        attempt("read the output of another", &format!("cat {data}/logs/1/0.log")),
        attempt("read a file of another workspace", &format!("cat {theirs}/mine")),
        attempt("list another workspace's directory", &format!("ls {theirs}")),
        attempt("list another workspace's home", &format!("ls {home}")),
        attempt("write into another workspace", &format!("touch {theirs}/x")),
        attempt("put something in the place of its directory", "mv $TIDEGATE_DIR $TIDEGATE_DIR.away"),
        attempt("see that a process is there", &format!("kill -0 {other}")),
        attempt("end a process of another workspace", &format!("kill -9 {other}")),
        attempt("read the environment of another", &format!("cat /proc/{other}/environ")),
        attempt("end its supervisor", "kill -9 $PPID"),
    ];
    let about = "id -u; id -g; id -G; grep NoNewPrivs /proc/self/status; echo $HOME $USER\n\
                 touch $HOME/x $TMPDIR/x $TIDEGATE_DIR/x $TIDEGATE_CHECKPOINT_DIR/x && echo writes\n\
                 stat -c %a $HOME $TMPDIR $TIDEGATE_DIR\n";
    stage.start(2, 1, &(attempts.concat() + about));
    assert_eq!(stage.exit(2), (0, String::new()), "{}", stage.output(2));
    let own = FIRST + 1;
    let home = path(&stage.places().home(WorkspaceId(1)));
    let wanted = format!("{own}\n{own}\n{own}\nNoNewPrivs:\t1\n{home} workspace-1\nwrites\n700\n700\n700\n");
    assert_eq!(stage.output(2), wanted);
    assert!(is_alive(&other));
}

#[test]
fn without_users_a_second_workspace_is_refused() {
    let none = Isolation::None { why: "this is a test".into(), is_shared: false };
    let mut stage = Stage::new(|settings| settings.isolation = none);
    stage.start(1, 0, "exit 3");
    stage.start(2, 1, "exit 3");
    let (code, detail) = stage.exit(2);
    assert!(code == 126 && detail.contains("allow-shared-user"), "{code}: {detail}");
    assert_eq!(stage.exit(1).0, 3);
    assert!(stage.runs(2).is_empty(), "it was not started");
}

/// What is open here and given on to whoever is started, by whoever started this test.
fn given_on() -> Vec<String> {
    let open = std::fs::read_dir("/proc/self/fdinfo").expect("it can be listed").flatten();
    let is_given = |entry: &std::fs::DirEntry| {
        let info = std::fs::read_to_string(entry.path()).unwrap_or_default();
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
        flags.is_some_and(|flags| {
            i64::from_str_radix(flags.trim(), 8).is_ok_and(|flags| flags & 0o2000000 == 0)
        })
    };
    open.filter(is_given).map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn a_program_inherits_nothing_that_is_open() {
    let given = given_on();
    let mut stage = Stage::new(|settings| settings.isolation = together());
    let own = std::fs::File::open("/proc/self/status").expect("open");
    stage.start(1, 0, "env | cut -d= -f1; exec ls -l /proc/self/fd");
    assert_eq!(stage.exit(1).0, 0);
    drop(own);
    let output = stage.output(1);
    let open = output.lines().filter_map(|line| line.split_once(" -> "));
    let open = open.map(|(before, target)| (before.rsplit(' ').next().unwrap_or_default(), target));
    // It lists the directory itself, too.
    let ours = open.filter(|(fd, target)| !target.starts_with("/proc/") && !given.contains(&fd.to_string()));
    let ours: Vec<_> = ours.collect();
    let numbers: Vec<&str> =
        ["0", "1", "2"].into_iter().filter(|fd| !given.contains(&fd.to_string())).collect();
    assert_eq!(ours.iter().map(|(fd, _)| *fd).collect::<Vec<_>>(), numbers, "{output}");
    let is_right = |(fd, target): &(&str, &str)| {
        if *fd == "0" { *target == "/dev/null" } else { target.starts_with("pipe:") }
    };
    assert!(ours.iter().all(is_right), "{output}");
    assert!(!output.contains("CARGO"), "{output}");
}
