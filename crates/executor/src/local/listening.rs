//! Who listens on a port. Ports are assigned, but nobody keeps another program from taking one first: before anybody
//! is sent there, it is made sure that it is the replica.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;

/// Who listens on a port of this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listening {
    Nobody,
    /// A process or its descendants, and nobody else.
    Kin,
    Other,
}

/// How a socket that listens is marked in the kernel's table.
const LISTENS: &str = "0A";

/// Whether who listens on `port` descends from `ancestor`.
pub fn who_listens(port: u16, ancestor: u32) -> io::Result<Listening> {
    let mut sockets = listeners(&fs::read_to_string("/proc/net/tcp")?, port);
    // A machine may do without.
    let six = fs::read_to_string("/proc/net/tcp6").unwrap_or_default();
    sockets.extend(listeners(&six, port));
    if sockets.is_empty() {
        return Ok(Listening::Nobody);
    }
    for process in descendants(ancestor) {
        let files = fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
        for target in files.filter_map(|file| fs::read_link(file.path()).ok()) {
            let socket =
                target.to_str().and_then(|t| t.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok());
            if let Some(socket) = socket {
                sockets.remove(&socket);
            }
        }
        if sockets.is_empty() {
            return Ok(Listening::Kin);
        }
    }
    Ok(Listening::Other)
}

/// Numbers of the sockets that listen on a port, by the kernel's table.
fn listeners(table: &str, port: u16) -> BTreeSet<u64> {
    let wanted = format!(":{port:04X}");
    let socket = |line: &str| {
        let mut fields = line.split_whitespace();
        let (local, state) = (fields.nth(1)?, fields.nth(1)?);
        let listens = local.ends_with(&wanted) && state == LISTENS;
        fields.nth(5)?.parse().ok().filter(|_| listens)
    };
    table.lines().skip(1).filter_map(socket).collect()
}

/// A process and all below it.
fn descendants(ancestor: u32) -> Vec<u32> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    for process in entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok()) {
        if let Some(parent) = parent(process) {
            children.entry(parent).or_default().push(process);
        }
    }
    let mut all = vec![ancestor];
    let mut next = 0;
    while let Some(process) = all.get(next).copied() {
        all.extend(children.remove(&process).unwrap_or_default());
        next += 1;
    }
    all
}

fn parent(process: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // A name may contain anything, brackets and spaces, too.
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{Ipv4Addr, TcpListener};

    #[test]
    fn it_is_seen_who_listens() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let own = std::process::id();
        assert_eq!(who_listens(port, own).unwrap(), Listening::Kin);
        assert_eq!(who_listens(port, parent(own).unwrap()).unwrap(), Listening::Kin);
        let mut other = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        assert_eq!(who_listens(port, other.id()).unwrap(), Listening::Other);
        other.kill().unwrap();
        other.wait().unwrap();
        drop(listener);
        assert_eq!(who_listens(port, own).unwrap(), Listening::Nobody);
    }

    #[test]
    fn the_table_is_read() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n   0: 0100007F:4E21 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 12345 1 0\n   1: 0100007F:4E21 0100007F:9999 01 00000000:00000000 00:00000000 00000000  1000        0 777 1 0\n";
        assert_eq!(listeners(table, 0x4E21), BTreeSet::from([12_345]));
        assert_eq!(listeners(table, 1), BTreeSet::new());
    }
}
