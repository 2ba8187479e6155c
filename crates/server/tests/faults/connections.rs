//! Clients that dawdle, send too much, take nothing, or are too many.

use super::house::{House, PATIENCE};
use super::work;
use serde_json::json;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::channel;
use std::time::Duration;
use tidegate_api::limits::MAX_BODY;
use tidegate_server::core::control::{MAX_WAITING, Unavailable};
use tidegate_server::core::entry::Origin;
use tidegate_server::net::limits::Limits;
use tidegate_server::serve::Ground;

/// A server that loses its patience soon.
fn hasty() -> Ground {
    let soon = Duration::from_millis(200);
    let limits = Limits { head: soon, body: soon, stall: soon, watchers: 3, ..Limits::default() };
    Ground { limits, ..Ground::default() }
}

fn connect(house: &House) -> TcpStream {
    let stream = TcpStream::connect(house.address()).expect("it listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    stream
}

/// All that comes until the server closes. A connection that is torn down ends, too.
fn rest(mut stream: impl Read) -> String {
    let mut all = Vec::new();
    let mut buffer = [0; 4_096];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => all.extend_from_slice(&buffer[..n]),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => break,
            Err(error) => panic!("the server did not close: {error}"),
        }
    }
    String::from_utf8_lossy(&all).into_owned()
}

fn post(house: &House, length: usize) -> String {
    format!(
        "POST /api/v1/workloads HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n",
        house.token()
    )
}

#[test]
fn a_slow_head_is_cut_off() {
    let house = House::on("1x8", |_| (), hasty);
    let mut stream = connect(&house);
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: ").expect("it is there");
    let said = rest(stream);
    assert!(said.is_empty() || said.starts_with("HTTP/1.1 408"), "{said}");
    // One who says nothing at all, too.
    assert_eq!(rest(connect(&house)), "");
    assert_eq!(house.get("/healthz").0, 200);
}

#[test]
fn a_slow_body_is_told_and_cut_off() {
    let house = House::on("1x8", |_| (), hasty);
    let mut stream = connect(&house);
    stream.write_all(post(&house, 100).as_bytes()).expect("it is there");
    stream.write_all(b"{\"spec\":").expect("it is there");
    let said = rest(stream);
    assert!(said.starts_with("HTTP/1.1 408") && said.contains("request-timeout"), "{said}");
}

#[test]
fn a_body_that_breaks_off_changes_nothing() {
    let house = House::on("1x8", |_| (), hasty);
    let mut stream = connect(&house);
    let body = work("half").to_string();
    stream.write_all(post(&house, body.len() + 1).as_bytes()).expect("it is there");
    stream.write_all(body.as_bytes()).expect("it is there");
    drop(stream);
    assert_eq!(house.get("/api/v1/workloads/half").0, 404);
}

#[test]
fn a_body_may_have_its_full_length_and_not_one_byte_more() {
    let house = House::new("1x8");
    let said = |length: usize| {
        let mut stream = connect(&house);
        stream.write_all(post(&house, length).as_bytes()).expect("it is there");
        let text = work("padded").to_string();
        let mut body = vec![b' '; length];
        body[..text.len()].copy_from_slice(text.as_bytes());
        // Who announces too much is answered before it has sent it.
        let _ = stream.write_all(&body);
        rest(stream)
    };
    assert!(said(MAX_BODY).starts_with("HTTP/1.1 201"));
    // Nothing of the body is sent, so that the answer cannot be lost on the way.
    let mut stream = connect(&house);
    stream.write_all(post(&house, MAX_BODY + 1).as_bytes()).expect("it is there");
    let said = rest(stream);
    assert!(said.starts_with("HTTP/1.1 413") && said.contains("body-too-large"), "{said}");
    // Without an announcement it is noticed on the way.
    let mut stream = connect(&house);
    let head = post(&house, 0).replace("Content-Length: 0", "Transfer-Encoding: chunked");
    stream.write_all(head.as_bytes()).expect("it is there");
    stream.write_all(format!("{:x}\r\n", MAX_BODY + 1).as_bytes()).expect("it is there");
    stream.write_all(&vec![b' '; MAX_BODY + 1]).expect("it is there");
    let said = rest(stream);
    assert!(said.starts_with("HTTP/1.1 413") && said.contains("body-too-large"), "{said}");
}

#[test]
fn deep_json_is_refused() {
    let house = House::new("1x8");
    for body in [format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)), "{\"a\":".repeat(100_000)] {
        let (status, problem) = house.raw("POST", "/api/v1/workloads", &body);
        assert!((400..500).contains(&status), "{status}: {problem}");
        assert!(problem["code"].is_string(), "{problem}");
    }
}

#[test]
fn a_watcher_that_takes_nothing_is_cut_off_and_delays_nobody() {
    let house = House::on("1x8", |_| (), hasty);
    let watch =
        format!("GET /api/v1/watch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n\r\n", house.token());
    let mut deaf = connect(&house);
    deaf.write_all(watch.as_bytes()).expect("it is there");
    let mut first = [0; 12];
    deaf.read_exact(&mut first).expect("it is let in");
    assert_eq!(&first, b"HTTP/1.1 200");
    let mut news = house.watch("", &[]);
    // More than the system keeps for one who does not read; each is seen at once by the other.
    let padding = "x".repeat(60);
    let mut rounds = 0;
    while house.control().hub().watchers() == 2 {
        let items: Vec<_> = (0..200).map(|n| work(&format!("w{rounds}-{n}-{padding}")[..60])).collect();
        let (status, answer) = house.post("/api/v1/workloads:batch", &json!({"items": items}));
        assert_eq!(status, 200, "{answer}");
        for _ in 0..200 {
            while news.next().expect("it goes on").1["event"] != "queued" {}
        }
        rounds += 1;
        assert!(rounds < 500, "it is not cut off");
    }
    assert_eq!(house.control().hub().watchers(), 1, "the one who reads stays");
}

#[test]
fn watchers_above_the_bound_are_refused_until_one_goes() {
    let house = House::on("1x8", |_| (), hasty);
    let mut watchers: Vec<_> = (0..3).map(|_| house.watch("", &[])).collect();
    let (status, problem) = house.get("/api/v1/watch");
    assert_eq!((status, problem["code"].as_str()), (503, Some("too-many-watchers")), "{problem}");
    assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains('3')), "{problem}");
    assert_eq!(house.post("/api/v1/workloads", &work("a")).0, 201, "others get through");
    watchers.pop();
    // The server notices that one is gone when it writes to it.
    for n in 0.. {
        if house.control().hub().watchers() < 3 {
            break;
        }
        assert_eq!(house.post("/api/v1/workloads", &work(&format!("b{n}"))).0, 201);
    }
    watchers.push(house.watch("", &[]));
}

#[test]
fn watches_end_when_the_server_goes_down() {
    let mut house = House::new("1x8");
    let news = house.watch("", &[]);
    assert_eq!(house.post("/api/v1/workloads", &work("last")).0, 201);
    let (tell, told) = channel();
    let reads = std::thread::spawn(move || {
        news.for_each(|(_, event)| tell.send(event["event"].to_string()).expect("somebody counts"));
    });
    assert_eq!(told.recv_timeout(PATIENCE).as_deref(), Ok(r#""queued""#));
    house.close();
    reads.join().expect("the stream has ended in order");
    assert_eq!(told.iter().collect::<Vec<_>>(), [r#""started""#]);
}

#[test]
fn when_too_many_wait_the_next_is_told_to_come_again() {
    let house = House::new("1x8");
    let (let_go, held) = channel::<()>();
    let (begun, begins) = channel();
    let control = house.control().clone();
    let blocker = std::thread::spawn(move || {
        control.write_blocking(Origin::new("test", "block"), move |_| {
            begun.send(()).expect("somebody waits");
            let _ = held.recv();
        })
    });
    begins.recv_timeout(PATIENCE).expect("the writer is held");
    // One more than there is room for.
    let (refused, refusals) = channel();
    let waiting: Vec<_> = (0..=MAX_WAITING)
        .map(|_| {
            let (control, refused) = (house.control().clone(), refused.clone());
            house.runtime().spawn(async move {
                let outcome = control.write(Origin::new("test", "wait"), |_| ()).await;
                if outcome == Err(Unavailable::Busy) {
                    refused.send(()).expect("somebody counts");
                }
                outcome
            })
        })
        .collect();
    refusals.recv_timeout(PATIENCE).expect("one is refused: it is full");
    let (status, problem, after) = house.post_patiently("/api/v1/workloads", &work("late"));
    assert_eq!((status, problem["code"].as_str()), (429, Some("queue-full")), "{problem}");
    assert!(after.is_some());
    let_go.send(()).expect("it is held");
    blocker.join().expect("no panic").expect("it is carried out");
    let outcomes = waiting.into_iter().map(|one| house.runtime().block_on(one).expect("no panic"));
    assert_eq!(outcomes.filter(Result::is_err).count(), 1, "all others are carried out");
    assert_eq!(house.post("/api/v1/workloads", &work("late")).0, 201);
}
