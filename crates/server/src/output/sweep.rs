//! Drops the output of workloads that ended long ago, and the directories of those that were deleted.

use super::directories;
use crate::core::control::Control;
use crate::http::app::App;
use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::time::Duration;
use tidegate_engine::ids::WorkloadId;
use tidegate_executor::local::Places;
use tidegate_store::Reader;

/// The longest time between two looks.
const LONGEST: Duration = Duration::from_secs(3_600);
/// And the shortest.
const SHORTEST: Duration = Duration::from_secs(1);

/// Looks again and again, for ever.
pub async fn sweep(app: App, places: Places, retain: Duration) {
    // Late by a part of what it is about at most.
    let pause = (retain / 10).clamp(SHORTEST, LONGEST);
    loop {
        let (control, places) = (app.control.clone(), places.clone());
        let swept = app.with_reader(move |reader| {
            let output = once(&control, &places, retain);
            Ok([("output", output), ("directories", left(&control, reader, &places, retain))])
        });
        match swept.await {
            Err(error) => tracing::warn!(%error, "old output was not dropped"),
            Ok(swept) => swept.into_iter().for_each(|(what, swept)| match swept {
                Ok(0) => {}
                Ok(count) => tracing::info!(count, "old {what} was dropped"),
                Err(error) => tracing::warn!(%error, "old {what} was not dropped"),
            }),
        }
        tokio::time::sleep(pause).await;
    }
}

/// Drops what is older than `retain`; of how many workloads.
fn once(control: &Control, places: &Places, retain: Duration) -> io::Result<usize> {
    let lives = |id: WorkloadId| {
        control.read_blocking(|world| world.engine.workload(id).is_some_and(|w| !w.state.is_ended()))
    };
    drop_old(&places.all_logs(), retain, lives)
}

/// Drops the directories of workloads that were deleted; how many.
fn left(control: &Control, reader: &dyn Reader, places: &Places, retain: Duration) -> io::Result<usize> {
    let found = directories::all(&places.all_work())?;
    let lives: BTreeSet<WorkloadId> = control.read_blocking(|world| {
        let homes = world.documents.iter();
        homes.map(|(id, document)| document.directory_of.map_or(*id, WorkloadId)).collect()
    });
    let is_past = |found: &_| directories::is_past(reader, found).map_err(io::Error::other);
    directories::drop_left(found, &lives, is_past, retain)
}

fn drop_old(logs: &Path, retain: Duration, lives: impl Fn(WorkloadId) -> bool) -> io::Result<usize> {
    let Some(entries) = super::trail::present(std::fs::read_dir(logs))? else { return Ok(0) };
    let mut count = 0;
    for entry in entries {
        let directory = entry?.path();
        let id = directory.file_name().and_then(|name| name.to_str()?.parse().ok()).map(WorkloadId);
        let Some(id) = id else { continue };
        if is_old(&directory, retain)? && !lives(id) {
            std::fs::remove_dir_all(&directory)?;
            count += 1;
        }
    }
    Ok(count)
}

/// Whether nothing in it was written for so long.
fn is_old(directory: &Path, retain: Duration) -> io::Result<bool> {
    for entry in std::fs::read_dir(directory)? {
        if !directories::is_old(&entry?.metadata()?, retain) {
            return Ok(false);
        }
    }
    Ok(directories::is_old(&std::fs::metadata(directory)?, retain))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn old_output_goes_unless_its_workload_lives() {
        let dir = tempfile::tempdir().expect("a directory");
        for name in ["1", "2", "other"] {
            fs::create_dir(dir.path().join(name)).expect("made");
            fs::write(dir.path().join(name).join("0.log"), "x").expect("written");
        }
        let left = || {
            let names = fs::read_dir(dir.path()).expect("reads").flatten().map(|e| e.file_name());
            let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into()).collect();
            names.sort();
            names.join(" ")
        };
        let sweep = |retain, lives: u32| drop_old(dir.path(), retain, |id| id.0 == lives).expect("swept");
        assert_eq!((sweep(LONGEST, 0), left()), (0, "1 2 other".into()));
        assert_eq!((sweep(Duration::ZERO, 2), left()), (1, "2 other".into()));
        assert_eq!((sweep(Duration::ZERO, 0), left()), (1, "other".into()));
        assert_eq!(drop_old(&dir.path().join("none"), LONGEST, |_| false).expect("nothing"), 0);
    }
}
