//! `kill -9` at random instants under load: every acknowledged change is there, no draw is lost or doubled.

#[path = "../house/mod.rs"]
mod house;

mod dedicated;

use house::Caller;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use tidegate_server::config::{Config, ExecutorKind};
use tidegate_server::core::audit::audit;
use tidegate_server::core::entry::Body;
use tidegate_server::meter::{Follower, News};
use tidegate_server::serve::Server;

/// Rounds; `TIDEGATE_KILLS` asks for more.
const ROUNDS: u32 = 200;
/// Clients that ask at the same time.
const CLIENTS: u32 = 4;
/// The longest time from the first request to the kill, in milliseconds.
const LONGEST: u64 = 60;
/// Set for the child: where its data is.
const DATA: &str = "TIDEGATE_KILL_DATA";

/// The child: a server that runs until it is killed. As a test of its own it does nothing.
#[test]
fn serve_for_the_parent() {
    let Ok(data) = std::env::var(DATA) else { return };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let config = Config {
            listen: "127.0.0.1:0".parse().expect("an address"),
            executor: ExecutorKind::Virtual,
            virtual_gpus: Some("4x8".into()),
            snapshot_every: 500,
            retain_ended: "1s".parse().expect("a duration"),
            ..Config::default()
        };
        let server = Server::open(&config, Path::new(&data)).await.expect("it starts");
        println!("\nlistening on {}", server.address().expect("an address"));
        let (_closing, closed) = tokio::sync::watch::channel(false);
        server.run(closed).await.expect("no thread panics");
    });
}

struct Victim {
    process: Child,
    base: String,
}

fn start(data: &Path) -> Victim {
    let mut process = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "serve_for_the_parent", "--nocapture"])
        .env(DATA, data)
        .stdout(Stdio::piped())
        .spawn()
        .expect("a child");
    let out = BufReader::new(process.stdout.take().expect("its output"));
    let address = out
        .lines()
        .map_while(Result::ok)
        .find_map(|line| Some(line.split_once("listening on ")?.1.to_string()));
    Victim { process, base: format!("http://{}", address.expect("the child says where it listens")) }
}

/// What a client was told.
#[derive(Clone, Debug)]
enum Acknowledged {
    Submitted { name: String, uid: String },
    Stopped { name: String },
    Scaled { quota: String, gpus: u64 },
}

/// Asks until the server is gone; says what was acknowledged.
fn ask(caller: &Caller, round: u32, client: u32, tell: &std::sync::mpsc::Sender<Acknowledged>) {
    let quota = format!("team-{client}");
    for n in 0.. {
        let name = format!("w-{round}-{client}-{n}").replacen("w-", "job-", 1);
        let gpu = [1, 2, 8][n as usize % 3];
        let work = json!({"metadata": {"name": name}, "spec": {"quota": quota, "resources": {"gpu": gpu}, "idle": "accept",
            "priority": 1 + (n + client) % 9, "gracePeriod": "0s", "virtual": {"duration": format!("{}ms", 5 + 7 * n % 40)}}});
        let Some((status, answer)) = caller.try_send("POST", "/api/v1/workloads", Some(&work), &[]) else {
            return;
        };
        assert_eq!(status, 201, "{answer}");
        let uid = answer["metadata"]["uid"].as_str().expect("a uid").to_string();
        let _ = tell.send(Acknowledged::Submitted { name: name.clone(), uid });
        if n % 4 == 1 {
            let Some((status, answer)) =
                caller.try_send("POST", &format!("/api/v1/workloads/{name}:stop"), None, &[])
            else {
                return;
            };
            // It may have ended by itself.
            assert!(status == 200 || status == 409, "{answer}");
            if status == 200 {
                let _ = tell.send(Acknowledged::Stopped { name });
            }
        }
        if n % 5 == 2 {
            let gpus = 4 + u64::from((round + n) % 5);
            let scale = json!({"guarantee": {"gpu": gpus}, "mode": "drain"});
            let path = format!("/api/v1/quotas/{quota}:scale");
            let Some((status, answer)) = caller.try_send("POST", &path, Some(&scale), &[("If-Match", "*")])
            else {
                return;
            };
            assert!([200, 409].contains(&status), "{answer}");
            if status == 200 {
                let _ = tell.send(Acknowledged::Scaled { quota: quota.clone(), gpus });
            }
        }
    }
}

/// What must be true of a server after all that was acknowledged.
#[derive(Debug, Default)]
struct Ledger {
    submitted: BTreeMap<String, String>,
    stopped: Vec<String>,
    guarantees: BTreeMap<String, u64>,
}

impl Ledger {
    fn take(&mut self, told: Receiver<Acknowledged>) {
        for fact in told {
            match fact {
                Acknowledged::Submitted { name, uid } => _ = self.submitted.insert(name, uid),
                Acknowledged::Stopped { name } => self.stopped.push(name),
                Acknowledged::Scaled { quota, gpus } => _ = self.guarantees.insert(quota, gpus),
            }
        }
    }

    /// Looks at what the last round was told: older facts were looked at before, and the log only grows.
    fn check(&mut self, caller: &Caller) {
        let get = |path: &str| -> Value {
            let (status, answer) = caller.try_send("GET", path, None, &[]).expect("it answers");
            assert_eq!(status, 200, "{path}: {answer}");
            answer
        };
        for (name, uid) in std::mem::take(&mut self.submitted) {
            let workload = get(&format!("/api/v1/workloads/{name}"));
            assert_eq!(workload["metadata"]["uid"].as_str(), Some(uid.as_str()), "{workload}");
        }
        for name in std::mem::take(&mut self.stopped) {
            let state = get(&format!("/api/v1/workloads/{name}"))["status"]["state"].to_string();
            assert!(
                ["\"stopped\"", "\"leaving\"", "\"finished\""].contains(&state.as_str()),
                "{name} is {state}"
            );
        }
        for (quota, gpus) in &self.guarantees {
            let seen = get(&format!("/api/v1/quotas/{quota}"));
            // A request that was not answered may have been carried out.
            let guarantee = seen["spec"]["guarantee"]["gpu"].as_u64();
            assert!(guarantee.is_some_and(|seen| seen == *gpus || (4..9).contains(&seen)), "{seen}");
        }
    }
}

/// Whatever was killed: the records are those that the log tells, each of them once, as far as it was followed.
fn metered_once(reader: &dyn tidegate_store::Reader, data: &Path) {
    let (kept, next) = tidegate_server::meter::kept(data).expect("records");
    let (mut follower, mut news) = (Follower::default(), News::default());
    let mut from = 0;
    while from < next {
        for entry in reader.entries(from, 1_000).expect("the log") {
            from = entry.next();
            if from <= next {
                let body = Body::decode(&entry.body).expect("an entry");
                follower.follow(entry.first, 0, &body, &mut news);
            }
        }
    }
    assert!(kept.len() > 10, "nothing was metered");
    assert_eq!(kept, news.uses);
}

fn rounds(usual: u32) -> u32 {
    std::env::var("TIDEGATE_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// What the log tells is right, as far as the checker knows.
fn judged(reader: &dyn tidegate_store::Reader) -> u64 {
    let audit = audit(reader, &mut |_| ()).expect("the log can be read");
    assert_eq!(audit.violation, None, "after {} events", audit.events);
    audit.events
}

#[test]
fn what_was_acknowledged_survives_kill_nine() {
    let rounds = rounds(ROUNDS);
    let home = tempfile::tempdir().expect("a directory");
    let data = home.path().join("data");
    let mut ledger = Ledger::default();
    let mut random = 0x9e37_79b9_u64;
    for round in 0..rounds {
        if round % (rounds / 10).max(1) == 0 {
            println!("{round} of {rounds} kills");
        }
        let mut victim = start(&data);
        let token = tidegate_server::token::read(&data.join("admin.token")).expect("a token");
        let caller = Caller::new(&victim.base, &token);
        if round == 0 {
            for client in 0..CLIENTS {
                let quota = json!({"metadata": {"name": format!("team-{client}")},
                    "spec": {"parent": "main", "guarantee": {"gpu": 6}}});
                let (status, answer) =
                    caller.try_send("POST", "/api/v1/quotas", Some(&quota), &[]).expect("an answer");
                assert_eq!(status, 201, "{answer}");
            }
        }
        ledger.check(&caller);
        let (tell, told) = channel();
        std::thread::scope(|scope| {
            for client in 0..CLIENTS {
                let (caller, tell) = (caller.clone(), tell.clone());
                scope.spawn(move || ask(&caller, round, client, &tell));
            }
            drop(tell);
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            house::pause(Duration::from_millis((random >> 33) % LONGEST));
            victim.process.kill().expect("kill -9");
            victim.process.wait().expect("it is gone");
        });
        ledger.take(told);
    }
    let reader = tidegate_store::open_read_only(&data).expect("the store");
    metered_once(&*reader, &data);
    assert!(judged(&*reader) > u64::from(rounds), "nothing happened");
}
