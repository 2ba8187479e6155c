//! `login` with a password or an invitation, `logout`, `password`.

mod common;

use common::{Server, run, tidegate};
use std::io::Write;
use std::process::Stdio;

const PASSWORD: &str = "correct horse battery";

/// Without a token in the environment, with a text on stdin; exit code and what was said.
fn typed(server: &Server, arguments: &[&str], input: &str) -> (i32, String) {
    let mut command = tidegate(server.dir.path());
    let command = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    assert!(output.stdout.is_empty(), "no data");
    (output.status.code().unwrap_or(-1), String::from_utf8(output.stderr).expect("UTF-8"))
}

#[test]
fn a_password_is_chosen_and_logs_in_until_the_log_out() {
    let server = Server::start();
    let home = server.dir.path();
    server.run_with(&["password", "--password-stdin"], "short\n").fails(2, "12 to 1024 characters");
    let set = server.run_with(&["password", "--password-stdin"], &format!("{PASSWORD}\n"));
    assert!(set.code == 0 && set.err.contains("the password of admin is set"), "{set:?}");
    let login = ["login", &server.url, "--user", "admin", "--password-stdin"];
    let (code, said) = typed(&server, &login, "a wrong password\n");
    assert!(code == 5 && said.contains("name or password is wrong"), "{said}");
    let (code, said) = typed(&server, &login, &format!("{PASSWORD}\n"));
    assert!(code == 0 && said.contains("as admin"), "{said}");
    let profile = std::fs::read_to_string(home.join(".config/tidegate/profile.toml")).expect("remembered");
    assert!(profile.contains("tgt_") && !profile.contains(&server.token), "a token of its own");
    assert_eq!(run(home, &["whoami", "-o", "name"]).ok(), "admin\n");
    let (code, said) = typed(&server, &["password", "--password-stdin"], "wrong\nanother long password\n");
    assert!(code == 5 && said.contains("old password"), "{said}");
    let both = format!("{PASSWORD}\nanother long password\n");
    assert_eq!(typed(&server, &["password", "--password-stdin"], &both).0, 0);
    assert_eq!(run(home, &["logout"]).code, 0);
    run(home, &["whoami"]).fails(7, "no server is known");
    let token = profile.split('"').find(|part| part.starts_with("tgt_")).expect("a token");
    run(home, &["whoami", "--server", &server.url, "--token", token]).fails(5, "the token is not known");
    let again = run(home, &["logout"]);
    assert!(again.code == 0 && again.err.contains("nobody is logged in"), "{again:?}");
}

#[test]
fn who_guesses_too_often_is_told_at_once() {
    let server = Server::start();
    let login = ["login", &server.url, "--user", "nobody", "--password-stdin"];
    for _ in 0..10 {
        assert_eq!(typed(&server, &login, "x\n").0, 5);
    }
    let (code, said) = typed(&server, &login, "x\n");
    assert!(code == 7 && said.contains("too many log-ins failed"), "{said}");
}

#[test]
fn flags_that_do_not_go_together_are_refused() {
    let server = Server::start();
    let home = server.dir.path();
    run(home, &["login", &server.url, "--password-stdin"]).fails(2, "needs --user or --invitation");
    let (code, said) =
        typed(&server, &["login", &server.url, "--invitation", "tgi_0"], "a long enough password\n");
    assert!(code == 5 && said.contains("invitation is not known"), "{said}");
}

#[test]
fn the_administrators_own_token_is_forgotten_and_stays_good() {
    let server = Server::start();
    let home = server.dir.path();
    assert_eq!(run(home, &["login", &server.url, "--token", &server.token]).code, 0);
    let out = run(home, &["logout"]);
    assert!(out.code == 0 && out.err.contains("admin.token"), "{out:?}");
    assert_eq!(server.run(&["whoami", "-o", "name"]).ok(), "admin\n");
}

#[test]
fn an_invitation_lets_somebody_choose_a_password() {
    let server = Server::start();
    let home = server.dir.path();
    server.run(&["user", "create", "berta"]).ok();
    let link = server.run(&["user", "invite", "berta"]).ok();
    assert!(link.starts_with(&format!("{}/#/invitation/tgi_", server.url)), "{link}");
    let secret = server.run(&["user", "invite", "berta", "-o", "name"]).ok();
    let follow = |given: &str| {
        let login = ["login", &server.url, "--invitation", given.trim(), "--password-stdin"];
        typed(&server, &login, &format!("{PASSWORD}\n"))
    };
    assert_eq!(follow(&link).0, 5, "a later one has taken its place");
    let (code, said) = follow(&secret);
    assert!(code == 0 && said.contains("as berta"), "{said}");
    assert_eq!(run(home, &["whoami", "-o", "name"]).ok(), "berta\n");
    assert_eq!(follow(&secret).0, 5, "it is good once");
    server.run(&["user", "invite", "nobody"]).fails(3, "there is no user nobody");
}
