//! Backups, and whether the log is whole: straight on the data directory, also while its server runs.

use crate::client::find::default_data;
use crate::exit::{Exit, Failure, Outcome, note, print};
use crate::output::figures::count;
use crate::output::{Format, document};
use crate::progress::Progress;
use clap::{Args, Subcommand};
use serde_json::json;
use std::path::PathBuf;
use tidegate_store::{StoreError, Verified, open_read_only, restore, verify};

pub(crate) const BACKUP_EXAMPLES: &str = "Examples:
  tidegate backup tidegate-$(date +%F).db        while the server runs, or not
  tidegate backup FILE --data /var/lib/tidegate";

pub(crate) const RESTORE_EXAMPLES: &str = "Examples:
  tidegate restore tidegate-2026-01-31.db --data ./restored
  tidegate serve --data ./restored";

pub(crate) const VERIFY_EXAMPLES: &str = "Examples:
  tidegate log verify
  tidegate log verify tidegate-2026-01-31.db";

#[derive(Args, Debug)]
pub(crate) struct Backup {
    /// The file to write; it must not exist
    file: PathBuf,
    /// The data directory; the default one if absent
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    #[command(flatten)]
    output: VerifiedOutput,
}

#[derive(Args, Debug)]
pub(crate) struct Restore {
    /// A backup
    file: PathBuf,
    /// The directory to make; it must be empty or absent. The default one if absent
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    #[command(flatten)]
    output: VerifiedOutput,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Log {
    /// Read the whole log and check it: numbers, hashes, everything beside it
    #[command(after_help = VERIFY_EXAMPLES)]
    Verify {
        /// A data directory, a backup or an archive; the default data directory if absent
        path: Option<PathBuf>,
        #[command(flatten)]
        output: VerifiedOutput,
    },
}

/// `-o` of what is checked.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct VerifiedOutput {
    /// How to print it
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    output: Format,
}

pub(crate) fn failure(error: &StoreError) -> Failure {
    let exit = match error {
        StoreError::Locked { .. } | StoreError::NotEmpty { .. } | StoreError::Exists { .. } => Exit::Stale,
        StoreError::Io { what, .. } if what == "no such file" => Exit::NotFound,
        StoreError::Io { path, .. } if !path.exists() => Exit::NotFound,
        _ => Exit::Failure,
    };
    Failure::new(exit, error.what()).hint(error.hint())
}

fn data_or_default(data: Option<PathBuf>) -> Outcome<PathBuf> {
    data.map_or_else(default_data, Ok)
}

fn told(progress: &mut Progress) -> impl FnMut(tidegate_store::Progress) + '_ {
    |at| progress.set(at.part, at.done, at.total)
}

impl Backup {
    pub(crate) fn run(self) -> Outcome {
        let data = data_or_default(self.data)?;
        let mut progress = Progress::new();
        let reader = open_read_only(&data).map_err(|error| failure(&error))?;
        let verified =
            reader.backup(&self.file, &mut told(&mut progress)).map_err(|error| failure(&error))?;
        progress.end();
        self.output.print(&verified, &format!("backup written to {}", self.file.display()))
    }
}

impl Restore {
    pub(crate) fn run(self) -> Outcome {
        let data = data_or_default(self.data)?;
        let mut progress = Progress::new();
        let verified =
            restore(&self.file, &data, &mut told(&mut progress)).map_err(|error| failure(&error))?;
        progress.end();
        note(format!("`tidegate serve --data {}` goes on from there", data.display()));
        self.output.print(&verified, &format!("restored into {}", data.display()))
    }
}

impl Log {
    pub(crate) fn run(self) -> Outcome {
        let Log::Verify { path, output } = self;
        let path = data_or_default(path)?;
        let mut progress = Progress::new();
        let verified = verify(&path, &mut told(&mut progress)).map_err(|error| failure(&error))?;
        progress.end();
        let is_sound = verified.damage.is_empty();
        let what = if is_sound { "is sound" } else { "is damaged" };
        output.print(&verified, &format!("{} {what}", path.display()))?;
        match verified.damage.first() {
            None => Ok(()),
            Some(first) => {
                let more = verified.damage.iter().skip(1).map(StoreError::what);
                Err(more.fold(failure(first), Failure::figure))
            }
        }
    }
}

impl VerifiedOutput {
    fn print(self, verified: &Verified, what: &str) -> Outcome {
        match self.output {
            Format::Json | Format::Yaml => {
                let damage: Vec<String> = verified.damage.iter().map(StoreError::what).collect();
                let value = json!({
                    "base": verified.base, "next": verified.next, "entries": verified.entries,
                    "documents": verified.documents, "past": verified.past, "receipts": verified.receipts,
                    "snapshots": verified.snapshots, "damage": damage,
                });
                document(self.output, &value)
            }
            _ => print(&format!(
                "{what}: events {} to {} in {}, {}, {}, {}, {}\n",
                verified.base,
                verified.next,
                if verified.entries == 1 {
                    "1 entry".into()
                } else {
                    format!("{} entries", verified.entries)
                },
                count(verified.documents, "document"),
                count(verified.past, "past workload"),
                count(verified.receipts, "receipt"),
                count(verified.snapshots, "snapshot"),
            )),
        }
    }
}
