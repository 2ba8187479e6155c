//! The SQLite store, on disk, against the contract.

use std::path::Path;

use tempfile::TempDir;
use tidegate_store::contract::{CASES, Fixture};
use tidegate_store::{Options, SqliteStore, Store};

struct OnDisk {
    data: TempDir,
    scratch: TempDir,
}

impl Fixture for OnDisk {
    fn open(&self) -> Box<dyn Store> {
        Box::new(SqliteStore::open(self.data.path(), Options::default()).expect("opens"))
    }

    fn scratch(&self) -> &Path {
        self.scratch.path()
    }
}

#[test]
fn sqlite_keeps_the_contract() {
    for case in CASES {
        println!("{}", case.name);
        (case.run)(&OnDisk { data: TempDir::new().unwrap(), scratch: TempDir::new().unwrap() });
    }
}
