//! The programs of `examples/`, on a real server: trained, preempted, resumed, served, opened.
//!
//! They need what `scripts/examples.sh` sets up, so this file is a part of `make test` of its own.

mod common;

use common::{Server, until};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::Duration;

/// How long a server of the examples may take to answer.
const ANSWER: Duration = Duration::from_secs(30);

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there")
}

/// `PATH=...` with the environment that the examples need.
fn path() -> String {
    let bin = root().join("target/examples/bin");
    assert!(bin.join("python3").exists(), "{} is missing: scripts/examples.sh makes it", bin.display());
    format!("PATH={}:{}", bin.display(), std::env::var("PATH").unwrap_or_default())
}

/// `submit` with the manifest of an example, started in its folder.
fn submit(folder: &str, file: &str, more: &[&str]) -> Vec<String> {
    let folder = root().join("examples").join(folder);
    let text = |path: PathBuf| path.to_string_lossy().into_owned();
    let mut words = vec!["submit".into(), "-f".into(), text(folder.join(file))];
    words.extend(["--working-dir".into(), text(folder), "--env".into(), path()]);
    words.extend(more.iter().map(|word| word.to_string()));
    words
}

fn run(server: &Server, arguments: &[String]) -> String {
    server.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>()).ok()
}

/// Two GPUs for a team, which `main` may take back from training.
fn house() -> Server {
    let server = Server::real(2);
    server.run(&["quota", "set", "main", "--child-level", "1-9:training"]).ok();
    server.run(&["quota", "create", "team", "2", "--parent", "main"]).ok();
    server
}

/// The line of a training's output that says what came out.
fn result(output: &str) -> String {
    let line = output.lines().find(|line| line.contains("result "));
    line.unwrap_or_else(|| panic!("no result:\n{output}")).to_string()
}

/// A training is preempted by the model server of the parent quota, goes on from its checkpoint, and ends as if
/// nothing had happened.
fn is_preempted_and_resumes(folder: &str, steps: &str) {
    let server = house();
    let steps = format!("STEPS={steps}");
    let calm = ["--name", "calm", "--quota", "team", "--env", &steps, "--env", "STEP_SECONDS=0", "--follow"];
    let undisturbed = result(&run(&server, &submit(folder, "job.yaml", &calm)));

    let train = ["--name", "train", "--quota", "team", "--env", &steps];
    run(&server, &submit(folder, "job.yaml", &train));
    let mut output = server.follow(&["logs", "-f", "train"]);
    assert!(output.line_with("begins at step").contains("step 0 of"));
    output.line_with("saved step");
    until(|| server.run(&["show", "train"]).ok().contains("\nsaved ").then_some(()));

    run(&server, &submit("model-server", "service.yaml", &["--quota", "main"]));
    output.line_with("asked to stop: step ");
    server.wait_for("model", "running");
    let events = server.run(&["events", "train"]).ok();
    assert!(events.contains("train preempted by model (child-level)"), "{events}");
    assert_eq!(predicted(&server), "{\"y\": 6.0}");

    server.run(&["stop", "model"]).ok();
    let again = output.line_with("begins at step");
    assert!(!again.contains("step 0 of"), "{again}");
    assert_eq!(result(&output.line_with("result ")), undisturbed);
    server.wait_for("train", "finished");
    let status = &server.run(&["show", "train", "-o", "json"]).json()["status"];
    assert_eq!((&status["preemptions"], &status["restarts"]), (&1.into(), &0.into()), "{status}");
    let logs = server.run(&["logs", "model", "--replica", "0"]).ok();
    assert!(logs.ends_with("asked to stop: all requests are answered\n"), "{logs}");
}

/// What the model server says of three numbers, asked as its neighbours could ask it.
fn predicted(server: &Server) -> String {
    let address = until(|| {
        let logs = server.run(&["logs", "model", "--replica", "0"]).out;
        let is_ready = logs.contains("ready\n");
        let address = logs.lines().find_map(|line| line.strip_prefix("listening on "));
        address.filter(|_| is_ready).map(str::to_string)
    });
    assert!(ask(&address, "GET", "/health", "").contains("\"ready\": true"));
    ask(&address, "POST", "/predict", "{\"x\": [1, 2, 3]}")
}

/// The body of an answer.
fn ask(address: &str, method: &str, path: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(ANSWER)).expect("a limit");
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer.split_once("\r\n\r\n").expect("a head and a body").1.to_string()
}

#[test]
fn training_with_the_standard_library_is_preempted_and_resumes() {
    is_preempted_and_resumes("training-stdlib", "400");
}

#[test]
fn training_with_jax_is_preempted_and_resumes() {
    is_preempted_and_resumes("training-jax", "400");
}

#[test]
fn the_manifest_for_pytorch_is_accepted() {
    let server = house();
    let said = run(
        &server,
        &submit("training-pytorch", "job.yaml", &["--quota", "team", "--replicas", "2", "--dry-run"]),
    );
    assert!(said.contains("train-pytorch"), "{said}");
}
