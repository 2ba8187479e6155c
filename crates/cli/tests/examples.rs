//! The programs of `examples/`, on a real server: trained, preempted, resumed, served, opened.
//!
//! They need what `scripts/examples.sh` sets up, so this file is a part of `make test` of its own.

#[path = "apps/client.rs"]
#[allow(dead_code, reason = "written for other tests, too")]
mod client;
mod common;

use client::{Answer, Connection, ask};
use common::{Server, until, until_within};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long JupyterLab and the model server may take to come up on a machine that is busy with other tests.
const COMING_UP: Duration = Duration::from_secs(300);
/// How long anything may take to leave.
const ENDING: Duration = Duration::from_secs(60);

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
    let place = root().join("examples").join(folder).to_string_lossy().into_owned();
    submit_elsewhere(folder, file, &[&["--working-dir", &place], more].concat())
}

/// The same, started in a directory of its own.
fn submit_elsewhere(folder: &str, file: &str, more: &[&str]) -> Vec<String> {
    let manifest = root().join("examples").join(folder).join(file);
    let mut words = vec!["submit".into(), "-f".into(), manifest.to_string_lossy().into_owned()];
    words.extend(["--env".into(), path()]);
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

/// A workload of a test. What was started outlives its server, so it is ended before, also by a test that fails.
struct Work<'a>(&'a Server, &'a str);

#[allow(clippy::disallowed_methods, reason = "waiting in the middle of a failure must not fail")]
impl Drop for Work<'_> {
    fn drop(&mut self) {
        self.0.run(&["stop", self.1]);
        let begun = Instant::now();
        while !self.has_ended() && begun.elapsed() < ENDING {
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Work<'_> {
    fn has_ended(&self) -> bool {
        let shown = self.0.run(&["show", self.1, "-o", "json"]);
        let is = |state: &&str| shown.out.contains(&format!("\"state\": \"{state}\""));
        ["stopped", "finished", "failed"].iter().any(is)
    }

    fn status(&self) -> serde_json::Value {
        self.0.run(&["show", self.1, "-o", "json"]).json()["status"].take()
    }

    /// The host and port under which it is reached, once so many replicas are ready.
    fn address_when_ready(&self, replicas: u32) -> String {
        until_within(COMING_UP, || (self.status()["replicas"]["ready"] == replicas).then_some(()));
        let status = self.status();
        let url = status["url"].as_str().expect("it can be reached");
        let rest = url.strip_prefix("http://").expect("an address of this machine");
        rest.split('/').next().expect("a host and a port").to_string()
    }
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
    let _train = Work(&server, "train");
    let mut output = server.follow(&["logs", "-f", "train"]);
    assert!(output.line_with("begins at step").contains("step 0 of"));
    output.line_with("saved step");
    until(|| server.run(&["show", "train"]).ok().contains("\nsaved ").then_some(()));

    run(&server, &submit("model-server", "service.yaml", &["--quota", "main"]));
    let model = Work(&server, "model");
    output.line_with("asked to stop: step ");
    server.wait_for("model", "running");
    let events = server.run(&["events", "train"]).ok();
    assert!(events.contains("train preempted by model (child-level)"), "{events}");
    assert_eq!(predicted(&model), "{\"y\": 6.0}");

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

/// What the model server says of three numbers, asked through the proxy.
fn predicted(model: &Work<'_>) -> String {
    let address = model.address_when_ready(2);
    let post = |more: &str| {
        let mut connection = Connection::open(&address);
        let body = "{\"x\": [1, 2, 3]}";
        let length = body.len();
        connection.send(format!(
            "POST /default/model/predict HTTP/1.1\r\nHost: {address}\r\n{more}Content-Length: {length}\r\n\r\n{body}"
        ));
        connection.answer()
    };
    assert_eq!(post("").status, 404, "a stranger");
    post(&format!("Authorization: Bearer {}\r\n", model.0.token)).text()
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

#[test]
fn jupyterlab_runs_a_cell_through_the_proxy_and_strangers_find_nothing() {
    let server = house();
    run(&server, &submit_elsewhere("notebook", "notebook.yaml", &["--quota", "team"]));
    let lab = Work(&server, "lab");
    let address = lab.address_when_ready(1);
    let link = || server.run(&["open", "lab", "--url"]).ok().trim().to_string();
    let cell = "import os\nprint(6 * 7, os.environ['TIDEGATE_WORKLOAD'])\nopen('cell.txt', 'w').write('ran')";
    let ran = run_cell(&link(), cell);
    assert_eq!((ran.0, ran.1.as_str()), (true, "42 lab\n"), "{}", ran.2);
    assert!(!root().join("examples/notebook/cell.txt").exists(), "its files lie in its own directory");
    let ran = run_cell(&link(), "1 / 0");
    assert!(!ran.0 && ran.2.contains("ZeroDivisionError"), "{ran:?}");

    // A stranger finds nothing: without a link, with one that was made up or used, under another name of the host,
    // and where a cell would be run.
    let nothing = |answer: Answer| {
        let code = answer.json()["code"].clone();
        assert_eq!((answer.status, code), (404, "not-found".into()), "{answer:?}");
    };
    for path in ["/default/lab/lab", "/default/lab/api/kernels", "/default/lab/api/contents/cell.txt"] {
        nothing(ask(&address, &format!("GET {path}")));
        nothing(ask(&address, &format!("POST {path}")));
        let mut connection = Connection::open(&address);
        connection.send(format!("GET {path} HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n"));
        nothing(connection.answer());
        nothing(ask(&address, &format!("GET {path}\nCookie: tidegate_session={}", "0".repeat(64))));
    }
    nothing(ask(&address, &format!("GET /-/open?ticket={}", "0".repeat(64))));
    let used = link();
    let path = used.split_once(&address).expect("the listener's address").1;
    assert_eq!(ask(&address, &format!("GET {path}")).status, 303);
    nothing(ask(&address, &format!("GET {path}")));
    nothing(ask(
        &address,
        "GET /default/lab/api/kernels/00000000-0000-0000-0000-000000000000/channels
         Upgrade: websocket
         Sec-WebSocket-Version: 13
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ));

    // Its files are there again when it is started again.
    server.run(&["stop", "lab"]).ok();
    until_within(ENDING, || lab.has_ended().then_some(()));
    server.run(&["start", "lab"]).ok();
    lab.address_when_ready(1);
    let ran = run_cell(&link(), "print(open('cell.txt').read())");
    assert_eq!((ran.0, ran.1.as_str()), (true, "ran\n"), "{}", ran.2);
}

/// Whether a cell went well, what it printed, and what went wrong.
fn run_cell(link: &str, code: &str) -> (bool, String, String) {
    let program = root().join("examples/notebook/run_cell.py");
    let mut command = Command::new(root().join("target/examples/bin/python3"));
    let output = command.arg(program).args([link, code]).stdin(Stdio::null()).output().expect("it starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}
