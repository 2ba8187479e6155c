//! `tidegate audit` and `tidegate webhook`, with a real server.

mod common;

use common::{Server, until};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::channel;

#[test]
fn the_audit_is_a_table_a_document_and_lines() {
    let server = Server::start();
    server.run(&["quota", "create", "team", "8", "--parent", "main"]).ok();
    server.run(&["quota", "scale", "team", "4"]).ok();
    let table = server.run(&["audit", "--since", "1h"]).ok();
    assert_eq!(server.run(&["audit", "list", "--since", "1h"]).ok(), table);
    let rows: Vec<&str> = table.lines().collect();
    assert!(rows[0].starts_with("AT ") && rows[0].contains("OPERATION"), "{table}");
    assert!(rows[1].contains("admin") && rows[1].contains("quota.scale"), "{table}");
    assert!(rows[1].contains("quota team scaled: guarantee 8 -> 4"), "{table}");
    let document = server.run(&["audit", "--operation", "quota.scale", "-o", "json"]).json();
    assert_eq!(document["items"].as_array().map(Vec::len), Some(1), "{document}");
    let yaml = server.run(&["audit", "--operation", "quota.scale", "-o", "yaml"]).ok();
    assert!(yaml.contains("operation: quota.scale"), "{yaml}");
    let lines = server.run(&["audit", "-o", "jsonl"]).ok();
    assert_eq!(lines.lines().count(), rows.len() - 1);
    assert!(lines.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()), "{lines}");
    assert_eq!(server.run(&["audit", "--workspace", "default", "-o", "jsonl"]).ok(), "");
    server.run(&["audit", "--workspace", "none"]).fails(3, "there is no workspace none");
    server.run(&["audit", "--since", "soon"]).fails(2, "neither a time");
}

/// Words of a command about the default workspace.
fn on<'a>(words: &[&'a str]) -> Vec<&'a str> {
    [words, &["--workspace", "default"]].concat()
}

#[test]
fn a_webhook_is_made_tested_shown_and_deleted() {
    let config = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(config.path(), "webhook-allow-private = true\n").expect("written");
    let server =
        Server::with(&["--virtual-gpus", "1x8", "--config", config.path().to_str().expect("a path")]);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/hook", listener.local_addr().expect("an address"));
    let made = server.run(&on(&["webhook", "create", "chat", "--url", &url, "--notice", "failed"])).ok();
    assert!(made.starts_with("secret: tgh_"), "{made}");
    assert!(server.run(&on(&["webhook", "list"])).ok().contains("failed"));
    assert_eq!(server.run(&on(&["webhook", "list", "-o", "name"])).ok(), "chat\n");
    let receiver = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a message");
        let mut bytes = [0; 4_096];
        let read = stream.read(&mut bytes).expect("readable");
        stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").expect("written");
        String::from_utf8_lossy(&bytes[..read]).to_string()
    });
    assert_eq!(server.run(&on(&["webhook", "test", "chat"])).ok(), "chat answered 204\n");
    assert!(receiver.join().expect("it was asked").to_lowercase().contains("x-tidegate-signature: t="));
    server.run(&on(&["webhook", "test", "chat"])).fails(1, "chat: ");
    assert!(server.run(&on(&["webhook", "show", "chat"])).ok().contains(&url));
    server.run(&on(&["webhook", "create", "bad", "--url", "ftp://x/"])).fails(2, "http:// or https://");
    server.run(&on(&["webhook", "retry", "chat", "d-7"])).fails(3, "there is no message d-7");
    assert_eq!(server.run(&on(&["webhook", "delete", "chat"])).ok(), "chat deleted\n");
    server.run(&on(&["webhook", "show", "chat"])).fails(3, "there is no webhook chat");
}

#[test]
fn what_nobody_took_before_a_power_cut_is_sent_after_it() {
    let config = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(config.path(), "webhook-allow-private = true\n").expect("written");
    let config = config.path().to_str().expect("a path");
    let mut server = Server::with(&["--virtual-gpus", "1x8", "--config", config]);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    server.run(&["webhook", "create", "chat", "--workspace", "default", "--url", &url]).ok();
    let (sender, messages) = channel();
    std::thread::spawn(move || {
        // It hangs up on the first one without a word.
        for (count, stream) in listener.incoming().flatten().enumerate() {
            let (mut stream, mut bytes) = (stream, [0; 8_192]);
            let read = stream.read(&mut bytes).unwrap_or(0);
            if count > 0 {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
            }
            let _ = sender.send(String::from_utf8_lossy(&bytes[..read]).to_string());
        }
    });
    server.run(&["submit", "--name", "a", "--gpus", "1", "--duration", "10ms"]).ok();
    messages.recv().expect("a first try");
    until(|| {
        let shown = server.run(&["webhook", "show", "chat", "--workspace", "default"]);
        shown.out.contains("pending").then_some(())
    });
    server.crash_and_restart();
    assert!(messages.recv().expect("a second try").contains("\"workload\":\"a\""));
    until(|| {
        let shown = server.run(&["webhook", "show", "chat", "--workspace", "default"]);
        shown.out.contains("delivered").then_some(())
    });
}
