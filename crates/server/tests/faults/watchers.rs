//! Watchers that read nothing cost what their kernel buffers and one place cost, and are cut off.
//!
//! Ten thousand watchers, opened and dropped: nobody else notices. Their descriptors are given back; the allocator keeps
//! their memory for the process, and whoever comes later gets it: as many again, a few at a time, need no more.

use super::house::{Caller, PATIENCE, pause};
use super::work;
use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tidegate_server::config::{Config, ExecutorKind};
use tidegate_server::net::limits::Limits;
use tidegate_server::serve::{Ground, Server};

/// Watchers; fewer where the system allows fewer open files.
const WATCHERS: usize = 10_000;
/// Parts in which as many come again.
const ROUNDS: usize = 10;
/// How long the child waits for a watcher that takes nothing.
const STALL: Duration = Duration::from_secs(2);
/// Set for the child: where its data is.
const DATA: &str = "TIDEGATE_WATCHED_DATA";

/// The child: a server in a process of its own, whose memory and files can be counted.
#[test]
fn serve_the_watchers() {
    let Some(data) = std::env::var_os(DATA) else { return };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let listen = "127.0.0.1:0".parse().expect("an address");
        let config = Config {
            listen,
            executor: ExecutorKind::Virtual,
            virtual_gpus: Some("4x8".into()),
            ..Config::default()
        };
        let limits = Limits { stall: STALL, ..Limits::default().within_open_files() };
        let ground = Ground { limits, ..Ground::default() };
        let server = Server::open_on(&config, Path::new(&data), ground).await.expect("it starts");
        println!("\nlistening on {}", server.address().expect("an address"));
        let (_closing, closed) = tokio::sync::watch::channel(false);
        server.run(closed).await.expect("no thread panics");
    });
}

struct Watched {
    process: Child,
    address: String,
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Watched {
    fn start(data: &Path) -> Watched {
        let mut process = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "watchers::serve_the_watchers", "--nocapture"])
            .env(DATA, data)
            .stdout(Stdio::piped())
            .spawn()
            .expect("a child");
        let out = BufReader::new(process.stdout.take().expect("its output"));
        let said = out.lines().map_while(Result::ok);
        let address = said.filter_map(|line| Some(line.split_once("listening on ")?.1.to_string())).next();
        Watched { process, address: address.expect("the child says where it listens") }
    }

    fn descriptors(&self) -> usize {
        fs::read_dir(format!("/proc/{}/fd", self.process.id())).expect("it runs").count()
    }

    /// Resident memory in KiB.
    fn memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id())).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a line");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    fn watch(&self, token: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let head = format!("GET /api/v1/watch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n");
        stream.write_all(head.as_bytes()).expect("it is there");
        stream
    }
}

/// Reads until the watcher has seen a workload start.
fn until_started(stream: &mut TcpStream) {
    let mut seen = Vec::new();
    let mut buffer = [0; 1_024];
    while !String::from_utf8_lossy(&seen).contains("event: started") {
        match stream.read(&mut buffer) {
            Ok(0) => panic!("it was cut off"),
            Ok(n) => seen.extend_from_slice(&buffer[..n]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => panic!("{error}"),
        }
    }
}

fn status(stream: &mut TcpStream) -> String {
    let mut first = [0; 12];
    stream.read_exact(&mut first).expect("an answer");
    String::from_utf8_lossy(&first).into_owned()
}

#[test]
fn ten_thousand_watchers_come_and_go() {
    // Our own ends need descriptors, too.
    let allowed = Limits::default().within_open_files().watchers.min(WATCHERS);
    let home = tempfile::tempdir().expect("a directory");
    let data = home.path().join("data");
    let server = Watched::start(&data);
    let token = tidegate_server::token::read(&data.join("admin.token")).expect("a token");
    let caller = Caller::new(&format!("http://{}", server.address), &token);
    let submit = |name: &str| {
        let (status, answer) =
            caller.try_send("POST", "/api/v1/workloads", Some(&work(name)), &[]).expect("an answer");
        assert_eq!(status, 201, "{answer}");
    };
    submit("warm");
    let files = server.descriptors();
    let watched = |count: usize, name: &str| {
        let mut streams: Vec<TcpStream> = (0..count).map(|_| server.watch(&token)).collect();
        for stream in &mut streams {
            assert_eq!(status(stream), "HTTP/1.1 200");
        }
        submit(name);
        streams.iter_mut().for_each(until_started);
        assert!(server.descriptors() >= count);
        let memory = server.memory();
        drop(streams);
        while server.descriptors() > files + 16 {
            pause(Duration::from_millis(20));
        }
        memory
    };
    let peak = watched(allowed, "many");
    let mut last = peak;
    for round in 0..ROUNDS {
        last = watched(allowed / ROUNDS, &format!("few-{round}"));
    }
    println!("{allowed} watchers: {peak} KiB; as many again, a few at a time: {last} KiB");
    assert!(last < peak + peak / 10, "{peak} KiB, then {last} KiB: something of each watcher is left");
    submit("after");
}

/// Watchers that read nothing.
const DEAF: usize = 100;
/// KiB that the server may keep for each of them until it is cut off: one handful of events and what is queued before
/// it to be written. All that each of them misses is some megabytes.
const FOR_EACH_DEAF: u64 = 768;
/// Requests of 500 workloads each.
const ROUNDS_MISSED: usize = 20;

/// The most memory, in KiB, of a server with one watcher that reads and so many that do not, until these are cut off.
fn peak_with(deaf: usize) -> u64 {
    let home = tempfile::tempdir().expect("a directory");
    let data = home.path().join("data");
    let server = Watched::start(&data);
    let token = tidegate_server::token::read(&data.join("admin.token")).expect("a token");
    let caller = Caller::new(&format!("http://{}", server.address), &token);
    let mut reads = server.watch(&token);
    let reader = std::thread::spawn(move || {
        let (mut missed, mut buffer) = (0, vec![0; 64 << 10]);
        while let Ok(count) = reads.read(&mut buffer)
            && count > 0
        {
            missed += count as u64 >> 10;
        }
        missed
    });
    let files = server.descriptors();
    let mut streams: Vec<TcpStream> = (0..deaf).map(|_| server.watch(&token)).collect();
    for stream in &mut streams {
        assert_eq!(status(stream), "HTTP/1.1 200");
    }
    let mut peak = 0;
    for round in 0..ROUNDS_MISSED {
        let padding = "x".repeat(50);
        let items: Vec<_> = (0..500).map(|n| work(&format!("{padding}-{round}-{n}"))).collect();
        let body = serde_json::json!({ "items": items });
        let answer = caller.try_send("POST", "/api/v1/workloads:batch", Some(&body), &[]);
        assert_eq!(answer.expect("an answer").0, 200);
        peak = peak.max(server.memory());
    }
    let mut looks = 0;
    while server.descriptors() > files + 8 {
        looks += 1;
        assert!(looks < 1_000, "{} descriptors are open: they are not cut off", server.descriptors());
        peak = peak.max(server.memory());
        pause(Duration::from_millis(50));
    }
    drop(server);
    let missed = reader.join().expect("no panic");
    assert!(missed > 4 * FOR_EACH_DEAF, "{missed} KiB were to be missed: too little to tell");
    peak
}

#[test]
fn watchers_that_read_nothing_are_cut_off_and_cost_little() {
    let (without, with) = (peak_with(0), peak_with(DEAF));
    println!("{without} KiB without, {with} KiB with {DEAF} watchers that read nothing");
    assert!(with < without + without / 4 + DEAF as u64 * FOR_EACH_DEAF, "{without} KiB, then {with} KiB");
}
