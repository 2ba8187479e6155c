//! `serve`, `demo`, `top`, and how a server is found.

mod common;

use common::{Server, run, tidegate, until};
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn a_first_start_says_where_the_token_is_and_ends_in_order() {
    let home = tempfile::tempdir().expect("a directory");
    let data = home.path().join(".local/share/tidegate");
    let mut command = tidegate(home.path());
    command.args(["serve", "--listen", "127.0.0.1:0", "--virtual-gpus", "1x8"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    until(|| data.join("server.address").exists().then_some(()));
    // The local server is found by itself: the first command needs no flag.
    let ran = run(home.path(), &["submit", "--", "echo", "hi"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let who = run(home.path(), &["whoami"]).ok();
    assert!(who.contains("user") && who.contains("the local data directory"), "{who}");
    let second = run(home.path(), &["serve", "--listen", "127.0.0.1:0"]);
    second.fails(4, "is in use by process");
    // What the first start printed lets the administrator in, once.
    let mut said = String::new();
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe"));
    while !said.contains("/#/invitation/") {
        assert!(lines.read_line(&mut said).expect("readable") > 0, "{said}");
    }
    let link = said.lines().find(|line| line.contains("/#/invitation/")).expect("a link").trim();
    let (server, _) = link.split_once("/#/").expect("an address");
    let password = home.path().join("password");
    std::fs::write(&password, "correct horse battery").expect("written");
    for code in [0, 5] {
        let mut follow = tidegate(home.path());
        follow.args(["login", server, "--invitation", link, "--password-stdin"]);
        let followed =
            follow.stdin(std::fs::File::open(&password).expect("there")).output().expect("it runs");
        assert_eq!(followed.status.code(), Some(code), "{followed:?}");
    }
    assert!(run(home.path(), &["whoami"]).ok().contains("the profile"));
    assert_eq!(run(home.path(), &["logout"]).code, 0);
    let pid = child.id().to_string();
    Command::new("kill").args(["-TERM", &pid]).status().expect("kill runs");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    lines.read_to_string(&mut said).expect("readable");
    let output = child.wait_with_output().expect("it has ended");
    assert!(said.contains("first start") && said.contains("admin.token"), "{said}");
    assert!(said.contains("tidegate submit -- echo hi"), "{said}");
    assert!(output.stdout.is_empty(), "stdout carries data only");
    assert!(!data.join("server.address").exists(), "nobody is there to be found");
    run(home.path(), &["list"]).fails(7, "no server is known");
}

#[test]
fn who_cannot_be_reached_or_trusted_is_an_error_with_its_code() {
    let server = Server::start();
    let home = server.dir.path();
    run(home, &["list"]).fails(7, "no server is known");
    run(home, &["--server", "127.0.0.1:1", "--token", "x", "list"])
        .fails(7, "cannot reach http://127.0.0.1:1");
    run(home, &["list", "--server", &server.url]).fails(5, "no token is known");
    run(home, &["list", "--server", &server.url, "--token", "wrong"]).fails(5, "the token is not known");
    run(home, &["list", "--server", "ftp://x", "--token", "x"]).fails(2, "is not the address of a server");
    run(home, &["list", "--server", "https://x", "--token", "x", "--ca-file", "no.pem"]).fails(2, "no.pem");
}

#[test]
fn a_login_is_remembered() {
    let server = Server::start();
    let home = server.dir.path();
    run(home, &["login", &server.url, "--token", "wrong"]).fails(5, "token");
    let token = server.data().join("admin.token");
    let ran = run(home, &["login", &server.url, "--token-file", &token.to_string_lossy()]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{ran:?}");
    assert!(ran.err.contains("as admin"), "{ran:?}");
    let profile = home.join(".config/tidegate/profile.toml");
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(&profile).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(run(home, &["whoami", "-o", "name"]).ok(), "admin\n");
    assert!(run(home, &["whoami"]).ok().contains("the profile"));
    std::fs::write(&profile, "cats = 1\n").expect("written");
    run(home, &["whoami"]).fails(1, "is not one");
}

#[test]
fn a_certificate_that_nobody_vouches_for_is_named_with_its_remedy() {
    let files = tempfile::tempdir().expect("a directory");
    let path = |name: &str| files.path().join(name).to_string_lossy().into_owned();
    for name in ["ours", "other"] {
        let made = rcgen::generate_simple_self_signed(["localhost".into(), "127.0.0.1".into()]);
        let made = made.expect("a certificate");
        std::fs::write(path(&format!("{name}.crt")), made.cert.pem()).expect("written");
        std::fs::write(path(&format!("{name}.key")), made.signing_key.serialize_pem()).expect("written");
    }
    let (ours, key, other) = (path("ours.crt"), path("ours.key"), path("other.crt"));
    let server = Server::with(&["--virtual-gpus", "1x8", "--tls-cert", &ours, "--tls-key", &key]);
    assert!(server.url.starts_with("https://"), "{}", server.url);
    for trusted in [&["list"][..], &["list", "--ca-file", &other]] {
        let ran = server.run(trusted);
        ran.fails(7, "cannot be trusted");
        assert!(
            ran.err.contains("certificate") && ran.err.contains("hint: ") && ran.err.contains("--ca-file"),
            "{ran:?}"
        );
    }
    server.run(&["list", "--ca-file", &ours]).ok();
    // Who has logged in need not say it again.
    let home = server.dir.path();
    run(home, &["login", &server.url, "--token", &server.token, "--ca-file", &ours]);
    run(home, &["list"]).ok();
}

#[test]
fn a_token_is_read_from_a_pipe() {
    let server = Server::start();
    let mut command = tidegate(server.dir.path());
    let command = command.args(["login", &server.url]);
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut stdin, format!("{}\n", server.token).as_bytes()).expect("written");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(run(server.dir.path(), &["whoami", "-o", "name"]).ok(), "admin\n");
}

/// `script` gives a command a terminal of its own: what the terminal shows is what it prints.
#[test]
fn a_token_that_is_typed_is_not_shown() {
    let server = Server::start();
    let mut command = Command::new("script");
    let line = format!("{} login {}", env!("CARGO_BIN_EXE_tidegate"), server.url);
    command.args(["--quiet", "--return", "--command", &line, "/dev/null"]).env("HOME", server.dir.path());
    command.env_remove("TIDEGATE_TOKEN").env_remove("TIDEGATE_SERVER").env_remove("XDG_CONFIG_HOME");
    let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let Ok(mut child) = spawned else { return println!("there is no `script` here") };
    let mut out = child.stdout.take().expect("a pipe");
    let mut shown = Vec::new();
    // Typed only when it is asked for: before that, the terminal itself would show it.
    let mut byte = [0];
    while !shown.ends_with(b"token: ") {
        assert!(
            Read::read(&mut out, &mut byte).expect("readable") > 0,
            "{}",
            String::from_utf8_lossy(&shown)
        );
        shown.push(byte[0]);
    }
    until(|| is_raw(child.id()).then_some(()));
    let mut keys = child.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut keys, format!("{}\r", server.token).as_bytes()).expect("typed");
    Read::read_to_end(&mut out, &mut shown).expect("readable");
    drop(keys);
    let shown = String::from_utf8_lossy(&shown);
    assert_eq!(child.wait().expect("it ends").code(), Some(0), "{shown}");
    assert!(shown.contains("logged in") && !shown.contains(&server.token), "{shown}");
}

/// Whether the terminal of a process's child hands over keys without showing them.
fn is_raw(parent: u32) -> bool {
    let children =
        std::fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).unwrap_or_default();
    let Some(child) = children.split_whitespace().next() else { return false };
    let terminal = format!("/proc/{child}/fd/0");
    let modes = Command::new("stty").args(["-F", &terminal, "-a"]).output().expect("stty runs");
    String::from_utf8_lossy(&modes.stdout).contains("-echo ")
}

/// Reads a watch until the server ends it.
fn watch(url: &str, token: &str) -> std::thread::JoinHandle<String> {
    use std::io::{Read, Write};
    let address = url.trim_start_matches("http://").to_string();
    let mut stream = std::net::TcpStream::connect(&address).expect("it listens");
    let head =
        format!("GET /api/v1/watch HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\r\n");
    stream.write_all(head.as_bytes()).expect("it is there");
    stream.read_exact(&mut [0; 12]).expect("it is let in");
    std::thread::spawn(move || {
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("it ends in order");
        text
    })
}

/// All that a process was told to have done is there after it was asked to end, whatever else was going on.
#[test]
#[allow(clippy::disallowed_methods, reason = "how long it takes is what is promised")]
fn a_server_under_load_ends_in_order() {
    for signal in ["-TERM", "-INT"] {
        let mut server = Server::start();
        let watching = watch(&server.url, &server.token);
        let clients: Vec<_> = (0..4)
            .map(|client| {
                let (home, url, token) =
                    (server.dir.path().to_path_buf(), server.url.clone(), server.token.clone());
                std::thread::spawn(move || {
                    let mut taken = Vec::new();
                    for n in 0.. {
                        let name = format!("job-{client}-{n}");
                        let flags = ["submit", "--name", &name, "--duration", "20ms", "--grace", "0s"];
                        let mut command = tidegate(&home);
                        let command = command.env("TIDEGATE_SERVER", &url).env("TIDEGATE_TOKEN", &token);
                        let output = command.args(flags).output().expect("it runs");
                        match output.status.code() {
                            Some(0) => taken.push(name),
                            Some(7) => break,
                            code => panic!("{code:?}: {}", String::from_utf8_lossy(&output.stderr)),
                        }
                    }
                    taken
                })
            })
            .collect();
        until(|| (server.run(&["list", "--all", "-o", "name"]).ok().lines().count() >= 20).then_some(()));
        let begun = Instant::now();
        assert_eq!(server.end(signal), 0, "{signal}");
        assert!(begun.elapsed() < Duration::from_secs(20), "{signal}: it took {:?}", begun.elapsed());
        let watched = watching.join().expect("no panic");
        assert!(
            watched.contains("event: started") && watched.ends_with("\r\n0\r\n\r\n"),
            "a stream ends in order"
        );
        let taken: Vec<String> = clients.into_iter().flat_map(|c| c.join().expect("no panic")).collect();
        assert!(taken.len() >= 20, "{}", taken.len());
        server.restart();
        let listed = server.run(&["list", "--all", "-o", "name"]).ok();
        let listed: std::collections::BTreeSet<&str> = listed.lines().collect();
        let lost: Vec<&String> = taken.iter().filter(|name| !listed.contains(name.as_str())).collect();
        assert!(lost.is_empty(), "{signal}: {lost:?} were acknowledged");
    }
}

#[test]
fn an_address_for_everybody_wants_tls() {
    let home = tempfile::tempdir().expect("a directory");
    let data = home.path().join("d");
    let ran = run(home.path(), &["serve", "--data", &data.to_string_lossy(), "--listen", "0.0.0.0:0"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("hint: "), "{ran:?}");
}

#[test]
fn a_configuration_is_checked_and_shown() {
    let home = tempfile::tempdir().expect("a directory");
    let file = home.path().join("config.toml");
    let shown = run(home.path(), &["config", "show"]).ok();
    std::fs::write(&file, &shown).expect("written");
    let path = file.to_string_lossy().into_owned();
    assert_eq!(run(home.path(), &["config", "check", &path]).ok(), format!("{path} is fine\n"));
    std::fs::write(&file, "lisen = \"x\"\n").expect("written");
    run(home.path(), &["config", "check", &path]).fails(2, "lisen");
    run(home.path(), &["serve", "--config", &path]).fails(2, "lisen");
    run(home.path(), &["config", "check", "no-such.toml"]).fails(3, "no-such.toml");
}

#[test]
#[allow(clippy::disallowed_methods, reason = "how long it takes is what is promised")]
fn the_demo_is_fast_and_tells_the_story() {
    let home = tempfile::tempdir().expect("a directory");
    let begun = Instant::now();
    let ran = run(home.path(), &["demo", "--fast"]);
    let took = begun.elapsed();
    assert_eq!(ran.code, 0, "{ran:?}");
    for part in [
        "c-tune preempted by a-serve (child-level)",
        "a-serve started 4 replicas Quota1.1:8 Quota1.2:24 (firm)",
        "starts when 16 GPUs come free for Quota1.2",
        "c-tune started 2 replicas Quota1.2:16 (firm)",
        "refused: ",
        "Quota1.2 scaled 80 -> 72",
        "Quota1.1 scaled 48 -> 56",
        "b-eval started 1 replica Quota1.1:8 (firm)",
        "Berta stops c-eval: there is no workload c-eval",
        "Berta looks into workspace-c: there is no workspace workspace-c",
        "Berta submits to Quota1.2: there is no quota Quota1.2",
        "Berta submits to Quota1: the quota Quota1 is not attached to the workspace workspace-b",
        "b-shared succeeded on default",
        "b-dedicated succeeded on rc-",
        "  shared    gpu:virtual",
        "  reserved  gpu:virtual",
    ] {
        assert!(ran.out.contains(part), "{part:?} is missing:\n{}", ran.out);
    }
    assert_eq!(ran.err, "");
    // A debug build on a busy machine is given more than what is promised of a release.
    assert!(took < Duration::from_secs(20), "it took {took:?}");
}

#[test]
fn top_prints_one_frame_for_pipes() {
    let server = Server::start();
    server.run(&["submit", "--name", "runs", "--gpus", "8", "--replicas", "2"]).ok();
    server.run(&["submit", "--name", "waits", "--gpus", "1"]).ok();
    let frame = server.run(&["top", "--once"]).ok();
    for part in
        ["Quotas", "Workloads", "Nodes", "main", "runs", "short 1 of 1", "local-1 [########]", "1 waiting"]
    {
        assert!(frame.contains(part), "{part:?} is missing:\n{frame}");
    }
    let mut small = server.command(&["top", "--once"]);
    small.env("COLUMNS", "40").env("LINES", "10");
    let small = String::from_utf8(small.output().expect("it runs").stdout).expect("UTF-8");
    assert!(small.lines().count() <= 10 && small.contains("Quotas") && !small.contains("Nodes"), "{small}");
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let server = Server::start();
    for arguments in [&["node", "list"][..], &["list", "--watch"], &["events"]] {
        let mut command = server.command(arguments);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .stdin(Stdio::null())
            .spawn()
            .expect("it starts");
        drop(child.stdout.take());
        let mut ended = None;
        let code = until(|| {
            let _ = server.run(&["submit", "--duration", "1ms"]);
            ended = child.try_wait().expect("it can be looked at");
            ended.map(|status| status.code())
        });
        let output = child.wait_with_output().expect("it has ended");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
        assert_eq!(code, Some(0), "{arguments:?}");
    }
}
