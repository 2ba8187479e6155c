//! What passing requests on costs: a trivial service as a real process, asked directly and through the server.

use super::binary::{Serving, until};
use crate::bench::{Bench, spread};
use crate::clock::Start;
use crate::samples::{Samples, duration, thousands};
use crate::service::attempt;
use crate::service::client::{Connection, request};
use crate::service::house::clients;
use crate::table::Measure;
use std::fs::Permissions;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::PermissionsExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};

/// The argument under which the program is nothing but a service that answers `ok`; a file to write its port into
/// follows.
pub const ARGUMENT: &str = "--trivial-service";
const CLIENTS: usize = 32;
/// Measured in turns, so that both ways meet the same machine.
const TURNS: usize = 5;
const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 3\r\n\r\nok\n";
/// Nanoseconds that the way through the server may add to the slowest of a hundred.
const BEYOND: f64 = 1e6;
/// A service as somebody might write it in an afternoon.
const PYTHON: &str = r#"
import os, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    def log_message(self, *_): pass
    def do_GET(self):
        self.send_response(200)
        self.send_header("content-length", "3")
        self.end_headers()
        self.wfile.write(b"ok\n")
server = ThreadingHTTPServer(("127.0.0.1", int(os.environ["TIDEGATE_PORT"])), Handler)
with open(sys.argv[1], "w") as file: print(os.environ["TIDEGATE_PORT"], file=file)
server.serve_forever()
"#;

pub fn run(bench: &mut Bench) {
    attempt(bench, "proxy", measure);
}

/// Answers every request in the same way, with as little work as can be.
pub fn serve(arguments: &[String]) -> io::Result<()> {
    let port = std::env::var("TIDEGATE_PORT").ok().and_then(|port| port.parse().ok());
    let port: u16 = port.ok_or_else(|| io::Error::other("TIDEGATE_PORT names no port"))?;
    Builder::new_current_thread().enable_all().build()?.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        if let Some(file) = arguments.first() {
            std::fs::write(file, format!("{port}\n"))?;
        }
        loop {
            let (stream, _) = listener.accept().await?;
            // Whoever goes away has enough.
            tokio::spawn(async move { _ = answer(stream).await });
        }
    })
}

async fn answer(mut stream: TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut head = Vec::with_capacity(4_096);
    while stream.read_buf(&mut head).await? > 0 {
        // Requests have no bodies, and come one by one.
        if head.ends_with(b"\r\n\r\n") {
            head.clear();
            stream.write_all(ANSWER).await?;
        }
    }
    Ok(())
}

/// One way to the service.
struct Way {
    address: SocketAddr,
    request: Vec<u8>,
    /// Many clients.
    requests: u64,
    seconds: f64,
    /// One client.
    latencies: Samples,
}

impl Way {
    fn new(address: SocketAddr, path: &str, token: &str) -> Way {
        let request = request("GET", path, token, "", "");
        Way { address, request, requests: 0, seconds: 0.0, latencies: Samples::default() }
    }

    /// One turn: many clients, then one.
    fn go(&mut self, runtime: &Runtime, seconds: f64) -> io::Result<()> {
        let start = Start::now();
        let tasks: Vec<_> =
            (0..CLIENTS).map(|_| runtime.spawn(ask(self.address, self.request.clone(), seconds))).collect();
        for task in tasks {
            self.requests += runtime.block_on(task)??.len() as u64;
        }
        self.seconds += start.seconds();
        let alone = runtime.spawn(ask(self.address, self.request.clone(), seconds));
        self.latencies.extend(runtime.block_on(alone)??);
        Ok(())
    }

    fn rate(&self) -> f64 {
        self.requests as f64 / self.seconds
    }
}

async fn ask(address: SocketAddr, request: Vec<u8>, seconds: f64) -> io::Result<Samples> {
    let mut connection = Connection::open(address).await?;
    let (start, mut samples) = (Start::now(), Samples::default());
    while start.seconds() < seconds {
        let sent = Start::now();
        connection.ask(&request).await?;
        samples.push(sent.nanoseconds());
    }
    Ok(samples)
}

fn measure(bench: &mut Bench) -> io::Result<()> {
    let serving = Serving::start(8)?;
    let runtime = clients()?;
    let program = std::env::current_exe()?.display().to_string();
    let trivial: &[&str] = &[&program, ARGUMENT];
    for (name, command, has_target) in
        [("trivial", trivial, true), ("python", &["python3", "-c", PYTHON], false)]
    {
        bench.progress(&format!("proxy: a {name} service"));
        let measured = one(bench, &serving, &runtime, name, command, has_target);
        serving.stop_all()?;
        measured?;
    }
    Ok(())
}

/// Submits a service; where it is reached directly, and through the server.
fn start(serving: &Serving, runtime: &Runtime, name: &str, command: &[&str]) -> io::Result<[SocketAddr; 2]> {
    let file = serving.directory().join(format!("{name}.port"));
    // Written by the user of a workspace.
    std::fs::write(&file, "")?;
    std::fs::set_permissions(&file, Permissions::from_mode(0o666))?;
    let path = file.display().to_string();
    let command: Vec<&str> = command.iter().copied().chain([path.as_str()]).collect();
    let spec = serde_json::json!({ "module": "service", "gracePeriod": "0s", "command": command });
    let body = serde_json::json!({ "metadata": { "name": name }, "spec": spec }).to_string();
    let submit = request("POST", "/api/v1/workloads", &serving.token, "", &body);
    let show = request("GET", &format!("/api/v1/workloads/{name}"), &serving.token, "", "");
    let mut connection = runtime.block_on(Connection::open(serving.address))?;
    runtime.block_on(connection.ask(&submit))?;
    let through = until(|| {
        runtime.block_on(connection.ask(&show)).ok()?;
        let text = String::from_utf8_lossy(connection.answer());
        let shown: serde_json::Value = serde_json::from_str(text.split("\r\n\r\n").nth(1)?).ok()?;
        let status = &shown["status"];
        let url = status["url"].as_str().filter(|_| status["replicas"]["ready"] == 1)?;
        url.strip_prefix("http://")?.split('/').next()?.parse().ok()
    })?;
    let port = until(|| std::fs::read_to_string(&file).ok()?.trim().parse::<u16>().ok())?;
    Ok([(Ipv4Addr::LOCALHOST, port).into(), through])
}

fn one(
    bench: &mut Bench,
    serving: &Serving,
    runtime: &Runtime,
    name: &str,
    command: &[&str],
    has_target: bool,
) -> io::Result<()> {
    let seconds = if bench.quick { 0.2 } else { 1.0 };
    let [direct, through] = start(serving, runtime, name, command)?;
    let path = format!("/default/{name}/");
    let ways = || [Way::new(direct, "/", &serving.token), Way::new(through, &path, &serving.token)];
    // Both are warm when it counts.
    for mut way in ways() {
        way.go(runtime, 0.2)?;
    }
    let [mut direct, mut through] = ways();
    for _ in 0..TURNS {
        direct.go(runtime, seconds)?;
        through.go(runtime, seconds)?;
    }
    let (rate, alone) = (through.rate(), direct.rate());
    let more = through.latencies.p99() - direct.latencies.p99();
    let target = |ratio: String, target: &str, met: bool| match has_target {
        true => Measure::target(ratio, target, met),
        false => Measure::plain(ratio),
    };
    bench.table.row(
        format!("requests through the server to a {name} service, {CLIENTS} clients"),
        format!("{} /s, direct {} /s", thousands(rate as u64), thousands(alone as u64)),
        target(format!("{:.0} % of direct", 100.0 * rate / alone), ">= 50 %", rate >= 0.5 * alone),
    );
    bench.table.row(
        format!("the same, one client: latency to a {name} service"),
        format!("{}; direct {}", spread(&through.latencies), spread(&direct.latencies)),
        target(format!("p99 + {}", duration(more)), "p99 + <= 1 ms", more <= BEYOND),
    );
    Ok(())
}
