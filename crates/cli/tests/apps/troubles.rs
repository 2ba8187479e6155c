//! Programs that die, talk nonsense or are not there; paths that try to get elsewhere.

use super::House;
use super::client::Connection;

#[test]
fn a_program_that_dies_before_it_answers_is_asked_elsewhere_if_that_does_no_harm() {
    let mut house = House::new();
    house.service("web", 2);
    let answer = house.get("/default/web/die");
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.text().starts_with("alive"), "{answer:?}");
    // It is started again, and is asked again once it is ready.
    house.until_ready("web", 2);
    std::fs::remove_file(house.directory("web").join("died")).expect("removed");
    let answer = house.ask("POST /default/web/die\nContent-Length: 0");
    assert_eq!(answer.status, 502, "to ask twice may do harm: {answer:?}");
    assert_eq!(answer.json()["code"], "upstream-failed");
    assert!(answer.text().contains("before it answered"), "{answer:?}");
}

#[test]
fn a_program_that_dies_while_it_answers_leaves_no_whole_answer() {
    let mut house = House::new();
    house.service("web", 2);
    let mut connection = Connection::open(&house.apps);
    let token = &house.server.token;
    connection.send(format!(
        "GET /default/web/die?after=seen HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n"
    ));
    let head = connection.head();
    assert_eq!((head.status, head.header("content-length")), (200, Some("1000")));
    let mut part = [0; 10];
    connection.read(&mut part);
    assert_eq!(&part, b"some of it");
    house.note("web", "seen");
    assert!(connection.is_closed(), "what is missing is not made up");
    assert_eq!(house.get("/default/web/who").status, 200, "the other goes on");
}

#[test]
fn a_program_that_speaks_no_http_is_named() {
    let mut house = House::new();
    house.service("web", 1);
    let answer = house.get("/default/web/garbage");
    assert_eq!(answer.status, 502, "{answer:?}");
    assert!(answer.text().contains("web replica 0 does not speak HTTP"), "{answer:?}");
    assert_eq!(house.get("/default/web/who").text(), "0");
}

#[test]
fn who_takes_the_port_of_another_gets_nothing() {
    let mut house = House::new();
    house.submit("web", "service", &[], &["late"]);
    let reason = |house: &House| {
        house.status("web")["placements"][0]["readiness"]["reason"].as_str().map(str::to_string)
    };
    let port = super::common::until(|| {
        let reason = reason(&house)?;
        reason.strip_prefix("nobody listens on port ")?.split(':').next()?.parse::<u16>().ok()
    });
    let thief = std::net::TcpListener::bind(("127.0.0.1", port)).expect("nobody is there yet");
    super::common::until(|| reason(&house).filter(|why| why.contains("another program listens on port")));
    let answer = house.get("/default/web/who");
    assert!(answer.status == 503 && answer.text().contains("another program"), "{answer:?}");
    // The program itself finds its port taken, ends, and is started again with another.
    house.note("web", "open-up");
    house.until_ready("web", 1);
    assert_eq!(house.get("/default/web/who").text(), "0");
    drop(thief);
}

#[test]
fn what_waits_in_its_queue_says_so() {
    let mut house = House::new();
    house
        .server
        .run(&["submit", "--name", "full", "--gpus", "8", "--grace", "0s", "--", "sleep", "600"])
        .ok();
    house.submit("web", "service", &["--gpus", "1"], &[]);
    let answer = house.get("/default/web/");
    assert_eq!(answer.status, 503);
    assert!(answer.text().contains("web is queued: short 1 of 1 GPU"), "{answer:?}");
    let page = house.ask("GET /default/web/\nAccept: text/html");
    assert!(page.status == 503 && page.text().contains("http-equiv=\"refresh\""), "{page:?}");
    house.server.run(&["stop", "full"]).ok();
    house.until_ready("web", 1);
    assert_eq!(house.get("/default/web/who").text(), "0");
}

#[test]
fn paths_lead_nowhere_else() {
    let mut house = House::new();
    house.service("web", 1);
    let path = |path: &str| house.get(path).json()["path"].as_str().map(str::to_string);
    // What is the program's own is passed on as it is written.
    assert_eq!(path("/default/web//a//b").as_deref(), Some("//a//b"));
    assert_eq!(path("/default/web/a%2fb%20c").as_deref(), Some("/a%2fb%20c"));
    assert_eq!(path("/default/web/?..").as_deref(), Some("/?.."));
    assert_eq!(path("/default/web/a..b/...").as_deref(), Some("/a..b/..."));
    for climbing in
        ["/default/web/../other/", "/default/web/..%2fother", "/default/web/%2e%2E/x", "/default/web/a/.."]
    {
        let answer = house.get(climbing);
        assert_eq!(
            (answer.status, answer.json()["code"].as_str()),
            (400, Some("bad-parameter")),
            "{climbing}"
        );
    }
    for nobody in [
        "/default/we%62/",
        "//default/web/",
        "/default//web/",
        "/DEFAULT/web/",
        "/default/web%2fx",
        "/../default/web/",
    ] {
        assert_eq!(house.get(nobody).status, 404, "{nobody}");
    }
    let long = "a".repeat(20_000);
    assert_eq!(path(&format!("/default/web/{long}")).map(|path| path.len()), Some(20_001));
    let mut connection = Connection::open(&house.apps);
    connection.send(format!("GET /default/web/{} HTTP/1.1\r\nHost: x\r\n\r\n", "a".repeat(100_000)));
    let status = connection.head().status;
    assert!(matches!(status, 414 | 431), "{status}");
    let mut absolute = Connection::open(&house.apps);
    let token = &house.server.token;
    absolute.send(format!(
        "GET http://elsewhere/default/web/x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n"
    ));
    assert_eq!(absolute.answer().json()["path"], "/x");
    for nonsense in
        ["GET\r\n\r\n", "\0\0\0\r\n\r\n", "GET / HTTP/9\r\n\r\n", "GET /default/web/ HTTP/1.1\r\nA b\r\n\r\n"]
    {
        let mut connection = Connection::open(&house.apps);
        connection.send(nonsense);
        assert_eq!(connection.head().status, 400, "{nonsense:?}");
    }
    // Two lengths are two requests to somebody.
    let mut smuggler = Connection::open(&house.apps);
    smuggler.send(format!(
        "POST /default/web/sink HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Length: 5\r\n\
         Content-Length: 50\r\n\r\nhello"
    ));
    assert_eq!(smuggler.head().status, 400);
}
