//! What the server writes out by itself, as comma-separated values or lines of JSON.

use crate::client::{Ask, Client, Query};
use crate::exit::{Exit, Failure, Outcome, print_bytes};
use std::io::Read;

/// Prints it as it comes.
pub(super) fn export(client: &Client, path: String, query: Query, format: &str) -> Outcome {
    let mut ask = Ask::get(path, query);
    ask.query.push(("format", format.into()));
    ask.is_stream = true;
    ask.accept = Some(if format == "csv" { "text/csv" } else { "application/x-ndjson" });
    let Some(mut stream) = client.send(&ask)?.stream() else { return Ok(()) };
    let mut piece = vec![0; 64 << 10];
    loop {
        let read = stream.read(&mut piece).map_err(|error| {
            Failure::new(Exit::Unreachable, format!("it broke off: {error}")).hint("ask again")
        })?;
        if read == 0 {
            return Ok(());
        }
        print_bytes(&piece[..read])?;
    }
}
