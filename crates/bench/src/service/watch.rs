//! A thousand watchers: each gets each event once, and a slow one is in nobody's way.

use super::attempt;
use super::client::{Connection, request};
use super::house::{Cpu, House, clients, directory};
use crate::bench::{Bench, spread};
use crate::clock::Start;
use crate::memory::resident;
use crate::samples::{Samples, thousands};
use crate::table::Measure;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tidegate_server::core::hub::Look;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;

/// Events of one submission: queued, started.
const EVENTS: u64 = 2;
const EVENTS_PER_SECOND: u64 = 100;
/// What the slow watcher's kernel takes in for it, so that it is soon full.
const SMALL: u32 = 4 << 10;
/// How long somebody waits for what should have come.
const PATIENCE: Duration = Duration::from_secs(60);
/// Bytes by which the process may grow: what happened is kept for those who come back.
const GROWTH: f64 = 64.0 * 1_048_576.0;
/// Delays that one watcher notes, at most: the process is measured, and what it notes is part of it.
const DELAYS: u64 = 64;
/// The part of the wanted rate below which it was not reached.
const REACHED: f64 = 0.99;

pub fn run(bench: &mut Bench) {
    attempt(bench, "watch", measure);
}

/// What a watcher has seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Seen {
    count: u64,
    last: u64,
    /// Of the numbers in their order: equal if and only if the same were seen once each, in order.
    mix: u64,
}

impl Seen {
    fn add(&mut self, number: u64) {
        self.count += 1;
        self.last = number;
        self.mix = (self.mix ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31);
    }
}

fn measure(bench: &mut Bench) -> io::Result<()> {
    let (watchers, seconds) = if bench.quick { (200, 30) } else { (1_000, 60) };
    let data = directory()?;
    let runtime = clients()?;
    let house = House::open(&data.path().join("data"), "10000x8")?;
    let first = house.control.hub().next();
    let goal = Arc::new(AtomicU64::new(u64::MAX));
    bench.progress(&format!("watch: {watchers} watchers, {seconds} s"));
    let slow = runtime.block_on(open(house.address, &house.token, None, Some(SMALL)))?;
    let streams: io::Result<Vec<TcpStream>> =
        (0..watchers).map(|_| runtime.block_on(open(house.address, &house.token, None, None))).collect();
    let sent = Arc::new(Clock { start: Start::now(), at: AtomicU64::new(0) });
    let submissions = seconds * EVENTS_PER_SECOND / EVENTS;
    let every = submissions.div_ceil(DELAYS);
    let tasks: Vec<JoinHandle<io::Result<Watched>>> = streams?
        .into_iter()
        .zip(0..)
        .map(|(stream, number)| (stream, Pick { every, offset: number % every }))
        .map(|(stream, pick)| runtime.spawn(follow(stream, goal.clone(), sent.clone(), pick)))
        .collect();
    let (before, cpu) = (resident(), Cpu::now());
    let driven = drive(house.address, house.token.clone(), submissions, sent);
    let rate = runtime.block_on(runtime.spawn(driven))??;
    let used = cpu.since(watchers * submissions * EVENTS);
    let (wanted, lines) = published(&house, first);
    goal.store(wanted.last, Ordering::Relaxed);
    // Whoever waits for the goal looks at it when something comes: one more event.
    let nudge = submission(&house.token, "nudge");
    runtime.block_on(async { Connection::open(house.address).await?.ask(&nudge).await })?;
    let (mut right, mut delays) = (0, Samples::default());
    for task in tasks {
        let watched = runtime.block_on(task)??;
        right += u64::from(watched.seen == wanted);
        delays.extend(watched.delays);
    }
    let growth = resident() - before;
    let (cut, resumed) = slow_one(&runtime, &house, slow, wanted)?;
    let told =
        if right == watchers { "each event once".into() } else { format!("{right} of {watchers} right") };
    let ends = if cut { "cut off" } else { "NOT cut off" };
    let comes_back = if resumed { "resumed" } else { "NOT resumed" };
    bench.table.row(
        format!("{} watchers, {EVENTS_PER_SECOND} events/s for {seconds} s", thousands(watchers)),
        format!("{told} ({} of them), delay {}", thousands(lines), spread(&delays)),
        Measure::target(
            format!(
                "{rate:.1} events/s; slow one {ends}, {comes_back}; grew {:.0} MiB",
                growth / 1_048_576.0
            ),
            format!("{EVENTS_PER_SECOND} /s, each once; cut off, resumed, <= 64 MiB"),
            rate >= REACHED * EVENTS_PER_SECOND as f64
                && right == watchers
                && cut
                && resumed
                && growth <= GROWTH,
        ),
    );
    bench.table.note(format!("watch: per event and watcher: {used}. Delay: from the answer to a submission until a watcher has its event."));
    Ok(())
}

/// When the latest submission was answered.
#[derive(Debug)]
struct Clock {
    start: Start,
    /// Nanoseconds since `start`.
    at: AtomicU64,
}

/// What one watcher saw, and how late.
#[derive(Default)]
struct Watched {
    seen: Seen,
    /// How often something came.
    reads: u64,
    delays: Samples,
}

/// Which delays a watcher notes: others note others.
#[derive(Clone, Copy, Debug)]
struct Pick {
    every: u64,
    offset: u64,
}

impl Pick {
    fn takes(self, read: u64, noted: usize) -> bool {
        read % self.every == self.offset && (noted as u64) < DELAYS
    }
}

fn submission(token: &str, name: &str) -> Vec<u8> {
    let body = format!(r#"{{"metadata":{{"name":"{name}"}},"spec":{{"resources":{{"gpu":1}}}}}}"#);
    request("POST", "/api/v1/workloads", token, "", &body)
}

/// Submits at an even pace; gives the events per second that came of it.
async fn drive(address: SocketAddr, token: String, submissions: u64, clock: Arc<Clock>) -> io::Result<f64> {
    let mut connection = Connection::open(address).await?;
    let start = Start::now();
    let mut pace = tokio::time::interval(Duration::from_secs(1) / (EVENTS_PER_SECOND / EVENTS) as u32);
    for number in 0..submissions {
        pace.tick().await;
        connection.ask(&submission(&token, &format!("event-{number}"))).await?;
        clock.at.store(clock.start.nanoseconds() as u64, Ordering::Relaxed);
    }
    // The first is due at once, the last one a beat before the end.
    pace.tick().await;
    Ok((submissions * EVENTS) as f64 / start.seconds())
}

/// Opens a watch and reads the head of its answer.
async fn open(
    address: SocketAddr,
    token: &str,
    after: Option<u64>,
    small: Option<u32>,
) -> io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    if let Some(bytes) = small {
        socket.set_recv_buffer_size(bytes)?;
    }
    let mut stream = socket.connect(address).await?;
    let headers = after.map_or(String::new(), |last| format!("Last-Event-ID: {last}\r\n"));
    stream.write_all(&request("GET", "/api/v1/watch", token, &headers, "")).await?;
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await?);
    }
    if head.starts_with(b"HTTP/1.1 200") {
        return Ok(stream);
    }
    Err(io::Error::other(String::from_utf8_lossy(&head).into_owned()))
}

/// Reads numbers of events out of a stream, however it is cut into pieces.
#[derive(Debug, Default)]
struct Scanner {
    /// The beginning of a line that has not ended yet.
    rest: Vec<u8>,
}

impl Scanner {
    fn scan(&mut self, bytes: &[u8], mut tell: impl FnMut(u64)) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            // Only the beginning of a line matters.
            let room = 24_usize.saturating_sub(self.rest.len());
            let whole = piece.ends_with(b"\n");
            if self.rest.is_empty() && whole {
                number(piece).into_iter().for_each(&mut tell);
                continue;
            }
            self.rest.extend_from_slice(&piece[..piece.len().min(room)]);
            if whole {
                number(&self.rest).into_iter().for_each(&mut tell);
                self.rest.clear();
            }
        }
    }
}

fn number(line: &[u8]) -> Option<u64> {
    let digits = line.strip_prefix(b"id: ")?.trim_ascii_end();
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Watches until the goal is seen.
async fn follow(
    mut stream: TcpStream,
    goal: Arc<AtomicU64>,
    clock: Arc<Clock>,
    pick: Pick,
) -> io::Result<Watched> {
    let mut scanner = Scanner::default();
    let mut buffer = vec![0; 16 << 10];
    let mut watched = Watched::default();
    loop {
        let read = tokio::time::timeout(PATIENCE, stream.read(&mut buffer)).await;
        let length = read.map_err(|_| io::Error::other("a watcher waits in vain"))??;
        if length == 0 {
            return Err(io::Error::other("a watcher that reads was cut off"));
        }
        let last = goal.load(Ordering::Relaxed);
        let (before, mut beyond) = (watched.seen.count, false);
        scanner.scan(&buffer[..length], |number| {
            if number <= last {
                watched.seen.add(number);
            } else {
                beyond = true;
            }
        });
        if watched.seen.count > before && last == u64::MAX {
            watched.reads += 1;
            if pick.takes(watched.reads, watched.delays.len()) {
                let answered = clock.at.load(Ordering::Relaxed) as f64;
                watched.delays.push((clock.start.nanoseconds() - answered).max(0.0));
            }
        }
        // The goal is set when all has been published, and one event comes after it.
        if beyond {
            return Ok(watched);
        }
    }
}

/// What watchers should see from a number on.
fn published(house: &House, first: u64) -> (Seen, u64) {
    let (mut from, mut seen) = (first, Seen::default());
    while from < house.control.hub().next() {
        let Look::Lines(lines, next) = house.control.hub().look(from) else { break };
        lines.iter().for_each(|line| seen.add(line.number));
        from = next;
    }
    (seen, seen.count)
}

/// Now the slow one reads: what it got before it was cut off, and the rest when it comes back.
fn slow_one(
    runtime: &Runtime,
    house: &House,
    mut stream: TcpStream,
    wanted: Seen,
) -> io::Result<(bool, bool)> {
    let (address, token) = (house.address, house.token.clone());
    let task = async move {
        let (mut scanner, mut seen) = (Scanner::default(), Seen::default());
        let mut buffer = vec![0; 16 << 10];
        let cut = loop {
            match tokio::time::timeout(Duration::from_secs(5), stream.read(&mut buffer)).await {
                Ok(Ok(0)) | Ok(Err(_)) => break true,
                Ok(Ok(length)) => scanner.scan(&buffer[..length], |number| {
                    if number <= wanted.last {
                        seen.add(number);
                    }
                }),
                Err(_) => break false,
            }
        };
        drop(stream);
        let mut stream = open(address, &token, Some(seen.last), None).await?;
        let mut scanner = Scanner::default();
        while seen.last < wanted.last {
            let read = tokio::time::timeout(PATIENCE, stream.read(&mut buffer)).await;
            let length = read.map_err(|_| io::Error::other("who came back waits in vain"))??;
            scanner.scan(&buffer[..length], |number| {
                if number <= wanted.last {
                    seen.add(number);
                }
            });
        }
        Ok::<_, io::Error>((cut, seen == wanted))
    };
    runtime.block_on(runtime.spawn(task))?
}
