//! Who is let in: the administrator, and browsers that followed a link. Everybody else finds nothing.

use super::common::{run, tidegate, until};
use super::{Answer, House, ask};
use std::process::Stdio;

/// What a link leads to, below the listener.
fn path_of<'a>(house: &House, link: &'a str) -> &'a str {
    link.trim().split_once(&house.apps).expect("the listener's address").1
}

/// Follows a link; the cookie.
fn follow(house: &House, link: &str) -> (Answer, String) {
    let answer = ask(&house.apps, &format!("GET {}\nAccept: text/html", path_of(house, link)));
    let cookie = answer.header("set-cookie").unwrap_or_default();
    let pair = cookie.split(';').next().unwrap_or_default().to_string();
    (answer, pair)
}

#[test]
fn a_link_lets_one_browser_into_one_workload_once() {
    let mut house = House::new();
    house.service("web", 1);
    house.service("other", 1);
    let link = house.server.run(&["open", "web", "--url"]).ok();
    assert!(link.starts_with(&format!("http://{}/-/open?ticket=", house.apps)), "{link}");
    let head = ask(&house.apps, &format!("HEAD {}", path_of(&house, &link)));
    assert_eq!(head.status, 405, "only a visit uses it up");
    let (answer, cookie) = follow(&house, &link);
    assert_eq!((answer.status, answer.header("location")), (303, Some("/default/web/")), "{answer:?}");
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let set = answer.header("set-cookie").expect("a cookie");
    for part in ["Path=/default/web;", "HttpOnly", "SameSite=Lax", "Max-Age=43200"] {
        assert!(set.contains(part), "{part}: {set}");
    }
    assert_eq!(cookie.len(), "tidegate_session=".len() + 64, "256 bits");
    let with = |path: &str, cookie: &str| ask(&house.apps, &format!("GET {path}\nCookie: a=b; {cookie}"));
    assert_eq!(with("/default/web/who", &cookie).text(), "0");
    assert_eq!(with("/default/web/who", &cookie).status, 200, "as often as it likes");
    assert_eq!(with("/default/other/who", &cookie).status, 404, "another workload");
    assert_eq!(with("/default/web/who", "tidegate_session=00").status, 404, "another secret");
    let (again, none) = follow(&house, &link);
    assert_eq!((again.status, none.as_str()), (404, ""), "once");
    // A session ends with its workload, even if one of the same name follows.
    house.server.run(&["stop", "web"]).ok();
    house.server.wait_for("web", "stopped");
    assert_eq!(with("/default/web/who", &cookie).status, 404);
    house.server.run(&["start", "web"]).ok();
    house.until_ready("web", 1);
    assert_eq!(house.get("/default/web/who").status, 200);
    assert_eq!(with("/default/web/who", &cookie).status, 404);
}

#[test]
fn strangers_find_nothing_whatever_is_there() {
    let mut house = House::new();
    house.service("web", 1);
    let plain = |path: &str| ask(&house.apps, &format!("GET {path}"));
    let there = plain("/default/web/who");
    assert_eq!((there.status, there.header("content-type")), (404, Some("application/problem+json")));
    assert_eq!(there.json()["code"], "not-found");
    for path in [
        "/default/nobody/",
        "/other/web/",
        "/",
        "/default/web",
        "/-/open?ticket=1",
        "/-/open",
        "/api/v1/nodes",
    ] {
        let answer = plain(path);
        assert_eq!((answer.status, answer.text()), (404, there.text()), "{path}");
    }
    for (name, value) in [
        ("Authorization", "Bearer tgt_0000"),
        ("Authorization", "Basic YWRtaW46YWRtaW4="),
        ("Cookie", "tidegate_session=0"),
    ] {
        let answer = ask(&house.apps, &format!("GET /default/web/who\n{name}: {value}"));
        assert_eq!((answer.status, answer.text()), (404, there.text()), "{name}");
    }
    let page = ask(&house.apps, "GET /default/web/who\nAccept: text/html,*/*");
    assert_eq!((page.status, page.header("content-type")), (404, Some("text/html; charset=utf-8")));
    assert!(page.text().contains("<title>") && !page.text().contains("web"), "{}", page.text());
    // Methods make no difference.
    for method in ["POST", "DELETE", "OPTIONS", "HEAD"] {
        assert_eq!(ask(&house.apps, &format!("{method} /default/web/who")).status, 404, "{method}");
    }
}

#[test]
fn the_command_opens_a_browser_or_says_why_not() {
    let mut house = House::new();
    house.service("web", 1);
    let (home, seen) = (house.server.dir.path().to_path_buf(), house.server.dir.path().join("seen"));
    let browser = home.join("browser");
    std::fs::write(&browser, format!("#!/bin/sh\necho \"$1\" > {}\n", seen.display())).expect("written");
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(&browser, std::fs::Permissions::from_mode(0o755)).expect("made a program");
    let mut command = house.server.command(&["open", "web"]);
    let output = command.env("BROWSER", &browser).stdin(Stdio::null()).output().expect("it runs");
    assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
    let link = until(|| std::fs::read_to_string(&seen).ok().filter(|text| text.ends_with('\n')));
    assert_eq!(follow(&house, &link).0.status, 303);
    // Without any, the link is printed.
    let mut command = house.server.command(&["open", "web"]);
    let output = command.env_remove("BROWSER").env("PATH", "").output().expect("it runs");
    assert!(String::from_utf8_lossy(&output.stdout).contains("/-/open?ticket="), "{output:?}");
    house.server.run(&["open", "nobody"]).fails(3, "there is no workload nobody");
    house.server.run(&["submit", "--name", "train", "--grace", "0s", "--", "sleep", "60"]).ok();
    house.server.run(&["open", "train"]).fails(4, "notebooks and services are opened");
    house.server.run(&["stop", "train", "web"]).ok();
    house.server.wait_for("web", "stopped");
    house.server.run(&["open", "web"]).fails(4, "web is stopped");
}

#[test]
fn the_listener_is_as_careful_as_the_other() {
    let home = tempfile::tempdir().expect("a directory");
    let data = home.path().join("d").to_string_lossy().into_owned();
    let serve = |flags: &[&str]| {
        let words = [&["serve", "--data", &data, "--listen", "127.0.0.1:0"], flags].concat();
        run(home.path(), &words)
    };
    serve(&["--apps-listen", "0.0.0.0:0"]).fails(2, "can be reached from other machines");
    serve(&["--apps-listen", "nowhere"]).code.eq(&2).then_some(()).expect("a usage error");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    serve(&["--apps-listen", &address]).fails(4, "cannot listen on");
    let off = House::with(&["--apps-listen", "off"]);
    off.server
        .run(&["submit", "--name", "n", "--module", "notebook", "--grace", "0s", "--", "sleep", "60"])
        .ok();
    off.server.run(&["open", "n"]).fails(4, "apps-listen is off");
    assert_eq!(off.status("n")["url"], serde_json::Value::Null);
    off.server.run(&["stop", "n"]).ok();
    let help = tidegate(home.path()).args(["serve", "--help"]).output().expect("it runs");
    assert!(String::from_utf8_lossy(&help.stdout).contains("--apps-listen"));
}

/// What the API answers to the administrator.
fn api(house: &House, method: &str, path: &str, body: &serde_json::Value) -> serde_json::Value {
    let (token, body) = (&house.server.token, body.to_string());
    let address = house.server.url.strip_prefix("http://").expect("an address");
    let mut connection = super::client::Connection::open(address);
    connection.send(format!(
        "{method} /api/v1{path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\
         Connection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    ));
    let answer = connection.answer();
    assert!(answer.status < 300, "{answer:?}");
    answer.json()
}

#[test]
fn members_use_what_is_public_and_nobody_else_finds_it() {
    use serde_json::json;
    let mut house = House::new();
    house.service("web", 1);
    let tokens = ["berta", "nobody"].map(|user| {
        api(&house, "POST", "/users", &json!({"metadata": {"name": user}, "spec": {}}));
        api(&house, "POST", "/tokens", &json!({"user": user}))["secret"]
            .as_str()
            .expect("a secret")
            .to_string()
    });
    let with = |token: &str, path: &str| {
        ask(&house.apps, &format!("GET {path}\nAuthorization: Bearer {token}")).status
    };
    assert_eq!(tokens.each_ref().map(|token| with(token, "/default/web/who")), [404, 404]);
    api(&house, "PUT", "/workspaces/default/members/berta", &json!({"role": "developer"}));
    assert_eq!(tokens.each_ref().map(|token| with(token, "/default/web/who")), [200, 404]);
    // A guest looks at what there is, and uses nothing; a session ends with the right to it.
    api(&house, "PUT", "/workspaces/default/members/berta", &json!({"role": "guest"}));
    assert_eq!(with(&tokens[0], "/default/web/who"), 404);
}
