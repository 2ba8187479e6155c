//! What is passed on, and how: heads, bodies as they come, other protocols.

use super::client::Connection;
use super::common::until;
use super::{House, ask};

#[test]
fn a_service_sees_its_own_path_and_nothing_that_is_ours() {
    let mut house = House::new();
    house.service("web", 1);
    let told = house.ask(
        "GET /default/web/a/b?c=d&e=%2F
         Connection: X-Hop
         X-Hop: 1
         X-Forwarded-For: 6.6.6.6
         Cookie: a=1; tidegate_session=x; b=2
         Accept: text/plain",
    );
    assert_eq!(told.status, 200, "{told:?}");
    let told = told.json();
    assert_eq!((told["method"].as_str(), told["path"].as_str()), (Some("GET"), Some("/a/b?c=d&e=%2F")));
    let headers = told["headers"].as_array().expect("headers").clone();
    let header = |name: &str| -> Vec<String> {
        let of = headers.iter().filter(|pair| pair[0] == name);
        of.map(|pair| pair[1].as_str().expect("text").to_string()).collect()
    };
    assert_eq!(header("x-forwarded-prefix"), ["/default/web"]);
    assert_eq!(header("x-forwarded-for"), ["127.0.0.1"]);
    assert_eq!(header("x-forwarded-proto"), ["http"]);
    assert_eq!(header("x-forwarded-host"), [house.apps.clone()]);
    assert_eq!(header("host"), [house.apps.clone()]);
    assert_eq!(header("accept"), ["text/plain"]);
    assert_eq!(header("cookie"), ["a=1; b=2"]);
    for gone in ["authorization", "x-hop", "connection", "te", "transfer-encoding"] {
        assert!(header(gone).is_empty(), "{gone}: {headers:?}");
    }
    let answered = house.get("/default/web/cookies");
    assert_eq!(answered.all("set-cookie"), ["mine=1"]);
    assert_eq!((answered.header("x-hop"), answered.header("service-worker-allowed")), (None, None));
    let moved = house.get("/default/web?x=1");
    assert_eq!((moved.status, moved.header("location")), (307, Some("/default/web/?x=1")), "{moved:?}");
    assert_eq!(house.ask("POST /default/web\nContent-Length: 0").json()["path"], "/");
    let head = house.ask("HEAD /default/web/who");
    assert_eq!((head.status, head.header("content-length")), (200, Some("1")));
}

#[test]
fn what_is_the_callers_own_is_passed_on() {
    let mut house = House::new();
    house.service("web", 1);
    let link = house.server.run(&["open", "web", "--url"]).ok();
    let path = link.trim().split_once(&house.apps).expect("the listener's address").1.to_string();
    let cookie = ask(&house.apps, &format!("GET {path}")).header("set-cookie").expect("a cookie").to_string();
    let cookie = cookie.split(';').next().expect("a pair");
    let told = ask(&house.apps, &format!("GET /default/web/\nAuthorization: token mine\nCookie: {cookie}"));
    let shown = told.text();
    assert!(shown.contains("token mine") && !shown.contains("tidegate_session"), "{shown}");
}

#[test]
fn bodies_are_passed_on_as_they_come() {
    let mut house = House::new();
    house.service("web", 1);
    // The second part is sent only when the first has arrived.
    let mut down = Connection::open(&house.apps);
    let token = &house.server.token;
    let head =
        |line: &str| format!("{line} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\n", house.apps);
    down.send(format!("{}\r\n", head("GET /default/web/source?bytes=131072&pause=go-on")));
    assert_eq!(down.head().status, 200);
    let mut came = 0;
    while came < 65_536 {
        came += down.chunk().expect("the first part").len();
    }
    house.note("web", "go-on");
    while let Some(chunk) = down.chunk().filter(|chunk| !chunk.is_empty()) {
        came += chunk.len();
    }
    assert_eq!(came, 131_072);
    // The same connection goes on, in the other direction.
    down.send(format!("{}Transfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n", head("POST /default/web/sink")));
    let began = house.directory("web").join("sink-began");
    until(|| began.exists().then_some(()));
    down.send("6\r\nsecond\r\n0\r\n\r\n");
    assert!(down.answer().text().starts_with("11 "));
}

#[test]
fn large_bodies_go_both_ways() {
    const BYTES: usize = 64 << 20;
    let mut house = House::new();
    house.service("web", 1);
    let answer = house.get(&format!("/default/web/source?bytes={BYTES}"));
    assert_eq!((answer.status, answer.body.len(), answer.is_whole), (200, BYTES, true));
    let mut up = Connection::open(&house.apps);
    let token = &house.server.token;
    up.send(format!(
        "POST /default/web/sink HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Length: {BYTES}\r\n\r\n"
    ));
    let block = vec![b'x'; 1 << 20];
    (0..BYTES >> 20).for_each(|_| up.send(&block));
    let told = up.answer();
    assert!(told.text().starts_with(&format!("{BYTES} ")), "{told:?}");
}

/// A frame as a browser sends it.
fn frame(text: &[u8]) -> Vec<u8> {
    let mask = [1, 2, 3, 4];
    let mut bytes = vec![0x81, 0x80 | 126];
    bytes.extend((text.len() as u16).to_be_bytes());
    bytes.extend(mask);
    bytes.extend(text.iter().enumerate().map(|(i, byte)| byte ^ mask[i % 4]));
    bytes
}

#[test]
fn a_websocket_is_passed_on() {
    let mut house = House::new();
    house.service("web", 2);
    let upgrade = |authorization: &str| {
        let mut socket = Connection::open(&house.apps);
        socket.send(format!(
            "GET /default/web/socket HTTP/1.1\r\nHost: {}\r\n{authorization}Connection: keep-alive, Upgrade\r\n\
             Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            house.apps
        ));
        let head = socket.head();
        (socket, head)
    };
    let (_, refused) = upgrade("");
    assert_eq!(refused.status, 404);
    let mut sockets: Vec<Connection> = (0..3)
        .map(|_| {
            let (socket, head) = upgrade(&format!("Authorization: Bearer {}\r\n", house.server.token));
            assert_eq!(head.status, 101, "{head:?}");
            assert_eq!(head.header("sec-websocket-accept"), Some("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
            assert_eq!(head.header("upgrade"), Some("websocket"));
            socket
        })
        .collect();
    for (round, length) in [(0, 200), (1, 5_000), (2, 60_000)] {
        for socket in &mut sockets {
            let text = vec![b'a' + round; length];
            socket.send(frame(&text));
            let mut echoed = vec![0; 4 + length];
            socket.read(&mut echoed);
            assert_eq!(echoed[4..], text[..]);
        }
    }
    // An end on one side is an end on the other.
    house.server.run(&["stop", "web"]).ok();
    house.server.wait_for("web", "stopped");
    assert!(sockets.iter_mut().all(Connection::is_closed));
}

#[test]
fn who_is_slow_holds_up_nobody() {
    let mut house = House::new();
    house.service("web", 1);
    let token = house.server.token.clone();
    // One sends half a head, one half a body, one takes nothing of much.
    let mut half = Connection::open(&house.apps);
    half.send("GET /default/web/who HTTP/1.1\r\nHo");
    let mut upload = Connection::open(&house.apps);
    upload.send(format!(
        "POST /default/web/sink HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Length: 100\r\n\r\nhalf"
    ));
    let mut deaf = Connection::open(&house.apps);
    deaf.send(format!(
        "GET /default/web/source?bytes=67108864 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n"
    ));
    assert_eq!(deaf.head().status, 200);
    for _ in 0..20 {
        assert_eq!(house.get("/default/web/who").text(), "0");
    }
    half.send(format!("st: x\r\nAuthorization: Bearer {token}\r\n\r\n"));
    assert_eq!(half.answer().text(), "0");
    upload.send(vec![b'x'; 96]);
    assert!(upload.answer().text().starts_with("100 "));
    let mut came = 0;
    while let Some(chunk) = deaf.chunk().filter(|chunk| !chunk.is_empty()) {
        came += chunk.len();
    }
    assert_eq!(came, 64 << 20, "it was slow, not gone");
}
