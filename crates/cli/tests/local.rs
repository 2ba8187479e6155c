//! Verbs that need no server: backups, the log, replays, completions, pages.

mod common;

use common::{Server, run};

#[test]
fn a_backup_is_made_while_the_server_runs_and_restored_elsewhere() {
    let mut server = Server::start();
    server.run(&["submit", "--name", "kept", "--gpus", "1"]).ok();
    let home = server.dir.path().to_path_buf();
    let text = |path: std::path::PathBuf| path.to_string_lossy().into_owned();
    let (data, file, restored) = (text(server.data()), text(home.join("b.db")), text(home.join("restored")));
    let said = run(&home, &["backup", &file, "--data", &data]).ok();
    assert!(said.starts_with(&format!("backup written to {file}: events 0 to ")), "{said}");
    run(&home, &["backup", &file, "--data", &data]).fails(4, "exists");
    assert!(run(&home, &["log", "verify", &file]).ok().contains("is sound"));
    assert_eq!(run(&home, &["log", "verify", &data, "-o", "json"]).json()["damage"], serde_json::json!([]));
    run(&home, &["restore", &file, "--data", &data]).fails(4, "is not empty");
    run(&home, &["restore", &file, "--data", &restored]).ok();
    run(&home, &["log", "verify", "no-such-directory"]).fails(3, "no such file");
    run(&home, &["backup", "x.db", "--data", "no-such-directory"]).fails(3, "no-such-directory");
    assert_eq!(server.end("-TERM"), 0);
    let bytes = std::fs::read(&file).expect("it is there");
    std::fs::write(&file, &bytes[..bytes.len() / 2]).expect("written");
    let ran = run(&home, &["log", "verify", &file]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("hint: "), "{ran:?}");
}

#[test]
fn a_trace_is_replayed_on_the_real_engine() {
    let home = tempfile::tempdir().expect("a directory");
    let file = home.path().join("jobs.csv");
    let rows = "submit,duration,replicas,gpus,quota,module,priority\n0,3600,1,8,A,training,5\n0,3600,1,8,A,training,5\n60,1800,1,8,B,service,3\n0,60,1,64,A,training,1\n";
    std::fs::write(&file, rows).expect("written");
    let path = file.to_string_lossy().into_owned();
    let ran = run(home.path(), &["replay", &path, "--nodes", "2x8"]);
    assert!(ran.out.contains("3 of 4 jobs finished within 2h on 16 GPUs"), "{ran:?}");
    assert!(ran.err.contains("1 job was refused; the first: line 5: "), "{ran:?}");
    let report = run(home.path(), &["replay", &path, "--nodes", "2x8", "-o", "json"]).json();
    assert_eq!(report["quotas"]["A"]["longestWait"], 3_600_000);
    assert_eq!(report["total"]["finished"], 3);
    let world = home.path().join("world.tide");
    std::fs::write(&world, "pool p 4x8 H100\nquota A 16 pool=p\nquota B 16 pool=p\n").expect("written");
    let world = world.to_string_lossy().into_owned();
    let report = run(home.path(), &["replay", &path, "--world", &world, "-o", "json"]).json();
    assert_eq!(report["quotas"]["A"]["longestWait"], 0);
    std::fs::write(&file, "submit,duration\n1,1\n").expect("written");
    run(home.path(), &["replay", &path]).fails(2, "no column replicas");
    run(home.path(), &["replay", "no.csv"]).fails(3, "no.csv");
}

#[test]
fn completions_and_man_pages_come_from_the_same_definitions() {
    let home = tempfile::tempdir().expect("a directory");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = run(home.path(), &["completion", shell]).ok();
        assert!(text.contains("transfer"), "{shell}");
    }
    let dir = home.path().join("man");
    let ran = run(home.path(), &["man", &dir.to_string_lossy()]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{ran:?}");
    let page = std::fs::read_to_string(dir.join("tidegate-quota-transfer.1")).expect("a page for each verb");
    assert!(page.contains("Examples"), "{page}");
}

#[test]
fn every_verb_has_help_with_examples() {
    let home = tempfile::tempdir().expect("a directory");
    let nouns = [
        ("pool", "create list show"),
        ("node", "list show add remove cordon uncordon drain"),
        ("quota", "create list show tree scale transfer set queue history delete"),
        ("workspace", "create list show set attach detach delete"),
        ("user", "create invite list show set disable enable link unlink delete"),
        ("role", "list actions show create set delete"),
        ("service-account", "create list delete"),
        ("token", "create list revoke"),
        ("workload", "create list show explain events logs open start stop restart resize priority delete"),
        ("webhook", "create list show test retry delete"),
        ("template", "create list show set delete"),
        ("task", "submit list show result cancel wait"),
        ("usage", "report records correct corrections"),
        ("price", "create list show set"),
        ("log", "verify"),
        ("config", "check show"),
    ];
    let short = "serve demo submit list show explain events logs open start stop restart resize priority delete top \
                 apply audit usage bill simulate replay backup restore login logout password whoami completion version";
    let long = nouns.iter().flat_map(|(noun, verbs)| verbs.split(' ').map(move |verb| vec![*noun, verb]));
    let members = ["add", "list", "remove"].map(|verb| vec!["workspace", "member", verb]);
    for verb in short.split_whitespace().map(|verb| vec![verb]).chain(long).chain(members) {
        let arguments: Vec<&str> = verb.iter().copied().chain(["--help"]).collect();
        let ran = run(home.path(), &arguments);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{verb:?}");
        assert!(ran.out.contains("Examples:\n  ") && ran.out.contains("tidegate "), "{verb:?}:\n{}", ran.out);
    }
    for absent in ["resource-config", "budget"] {
        assert_eq!(run(home.path(), &[absent]).code, 2, "{absent} belongs to a later version");
    }
    assert!(run(home.path(), &["--help"]).ok().contains("7  server unreachable"));
}
