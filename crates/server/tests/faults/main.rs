//! What a server does when something goes wrong: its disk, its clients, its configuration.

#[path = "../house/mod.rs"]
mod house;

mod connections;
mod disk;
mod faulty;
mod panics;
mod starts;
mod store;
mod tls;
mod watchers;

use serde_json::{Value, json};

/// Work that runs until it is stopped.
fn work(name: &str) -> Value {
    json!({"metadata": {"name": name}, "spec": {"resources": {"gpu": 1}, "gracePeriod": "0s"}})
}
