//! The tables, as a list of migrations. The version of a file is the number of migrations it has seen.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use super::failure::{Context, sqlite_failure};
use crate::error::StoreError;

/// "Tide" in ASCII: tells our files from other SQLite databases.
pub(crate) const APPLICATION_ID: u32 = 0x5469_6465;
/// "TidA": an archive of the beginning of a log. The same tables, but no store.
pub(crate) const ARCHIVE_ID: u32 = 0x5469_6441;

/// Each runs in one transaction together with the new version number. Never changed once released: a file that has
/// seen it must equal a file that is made anew.
pub(crate) const MIGRATIONS: &[&str] = &[include_str!("schema-1.sql"), include_str!("schema-2.sql")];

/// The version that this program writes.
pub(crate) const KNOWN: u32 = MIGRATIONS.len() as u32;

/// What a file says about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) application: u32,
    pub(crate) version: u32,
}

pub(crate) fn stamp(connection: &Connection, path: &Path) -> Result<Stamp, StoreError> {
    let pragma = |name| {
        connection
            .pragma_query_value(None, name, |row| row.get::<_, i64>(0))
            // Both are 32 bits in the file, and SQLite shows them with a sign.
            .map(|value| value as u32)
            .map_err(|error| sqlite_failure(error, path, "its header"))
    };
    Ok(Stamp { application: pragma("application_id")?, version: pragma("user_version")? })
}

/// Refuses files of others and of later versions.
pub(crate) fn check_stamp(stamp: Stamp, application: u32, known: u32, path: &Path) -> Result<(), StoreError> {
    let path = path.to_path_buf();
    if stamp.application != application {
        return Err(StoreError::NotOurs { path, found: stamp.application });
    }
    if stamp.version > known {
        return Err(StoreError::TooNew { path, found: stamp.version, known });
    }
    Ok(())
}

/// Brings a file to the version of `migrations`. Stops between two of them at worst: the next start goes on.
pub(crate) fn migrate(
    connection: &mut Connection,
    migrations: &[&str],
    path: &Path,
) -> Result<(), StoreError> {
    let context = Context::new(path, "its tables");
    let seen = stamp(connection, path)?.version;
    for (index, migration) in migrations.iter().enumerate().skip(seen as usize) {
        let transaction =
            context.wrap(connection.transaction_with_behavior(TransactionBehavior::Immediate))?;
        context.wrap(transaction.execute_batch(migration))?;
        context.wrap(transaction.pragma_update(None, "application_id", APPLICATION_ID))?;
        context.wrap(transaction.pragma_update(None, "user_version", index as u32 + 1))?;
        context.wrap(transaction.commit())?;
    }
    Ok(())
}

/// The definitions of all tables and indexes, in a fixed order.
fn definitions(connection: &Connection) -> rusqlite::Result<Vec<(String, Option<String>)>> {
    let mut statement = connection.prepare("SELECT name, sql FROM sqlite_schema ORDER BY name")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

/// A file whose definitions differ from those of a new file would be read wrongly without an error.
pub(crate) fn check_definitions(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let context = Context::new(path, "its tables");
    let mut fresh = context.wrap(Connection::open_in_memory())?;
    migrate(&mut fresh, MIGRATIONS, path)?;
    if context.wrap(definitions(connection))? != context.wrap(definitions(&fresh))? {
        return Err(StoreError::corrupt(
            path.display().to_string(),
            "its tables are not those of this version",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: &str = "ALTER TABLE meta ADD COLUMN note TEXT; UPDATE meta SET note = 'seen'";

    fn file_of_version_1() -> (Connection, &'static Path) {
        file_of(&MIGRATIONS[..1])
    }

    fn file_of(migrations: &[&str]) -> (Connection, &'static Path) {
        let path = Path::new("test");
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, migrations, path).unwrap();
        connection.execute("INSERT INTO meta VALUES ('key', x'00', x'01')", []).unwrap();
        (connection, path)
    }

    #[test]
    fn a_file_sees_each_migration_once() {
        let (mut connection, path) = file_of_version_1();
        assert_eq!(stamp(&connection, path), Ok(Stamp { application: APPLICATION_ID, version: 1 }));
        for _ in 0..2 {
            migrate(&mut connection, &[MIGRATIONS[0], SECOND], path).unwrap();
            assert_eq!(stamp(&connection, path), Ok(Stamp { application: APPLICATION_ID, version: 2 }));
        }
        let note: String = connection.query_row("SELECT note FROM meta", [], |row| row.get(0)).unwrap();
        assert_eq!(note, "seen");
    }

    #[test]
    fn a_migration_that_fails_leaves_the_file_as_it_was() {
        let (mut connection, path) = file_of_version_1();
        let broken = format!("{SECOND}; INSERT INTO nowhere VALUES (1)");
        assert!(migrate(&mut connection, &[MIGRATIONS[0], &broken], path).is_err());
        assert_eq!(stamp(&connection, path).unwrap().version, 1);
        assert!(connection.prepare("SELECT note FROM meta").is_err());
    }

    #[test]
    fn tables_that_are_not_ours_are_noticed() {
        let (mut connection, path) = file_of_version_1();
        migrate(&mut connection, MIGRATIONS, path).unwrap();
        assert_eq!(check_definitions(&connection, path), Ok(()));
        connection.execute_batch("DROP INDEX past_by_name").unwrap();
        assert_eq!(check_definitions(&connection, path).unwrap_err().code(), "storage-corrupt");
    }

    /// What is asked for a page of a workspace is answered by an index, in its order.
    #[test]
    fn pages_of_a_workspace_sort_and_scan_nothing() {
        let (connection, _) = file_of(MIGRATIONS);
        for (condition, index) in [
            ("private_of IS NULL", "past_public"),
            ("private_of IS NOT NULL", "past_private"),
            ("private_of = 7", "past_own"),
        ] {
            let sql = format!(
                "EXPLAIN QUERY PLAN SELECT * FROM past WHERE workspace = 'a' AND {condition} AND id < 9 \
                 ORDER BY id DESC LIMIT 5"
            );
            let mut statement = connection.prepare(&sql).unwrap();
            let plan = statement.query_map([], |row| row.get::<_, String>(3)).unwrap();
            let plan: Vec<String> = plan.map(Result::unwrap).collect();
            assert!(plan.len() == 1 && plan[0].contains(&format!("INDEX {index} ")), "{plan:?}");
        }
    }

    #[test]
    fn files_of_others_and_of_later_versions_are_refused() {
        let path = Path::new("test");
        let check =
            |application, version| check_stamp(Stamp { application, version }, APPLICATION_ID, 3, path);
        assert_eq!(check(APPLICATION_ID, 3), Ok(()));
        assert_eq!(check(APPLICATION_ID, 4).unwrap_err().code(), "storage-too-new");
        assert_eq!(check(0, 3).unwrap_err().code(), "storage-not-ours");
    }
}
