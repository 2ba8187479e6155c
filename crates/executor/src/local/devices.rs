//! A GPU is handed on only when it is clean.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use tidegate_engine::ids::{Span, Tick};

/// How long a GPU may take to give its memory back after its last process has ended.
pub const CLEAN_WITHIN: Span = Span::seconds(10);

/// Knows what is wrong with devices.
pub trait DeviceCare: Send + std::fmt::Debug {
    /// Why a device that nobody uses cannot be handed on, if so.
    fn fault(&mut self, node: &str, device: u16) -> Option<Box<str>>;
}

/// Devices that are not there: what is wrong with them is told by files, `NODE.DEVICE`, that hold the reason.
#[derive(Debug)]
pub struct FaultFiles {
    directory: PathBuf,
}

impl FaultFiles {
    pub fn in_directory(directory: impl Into<PathBuf>) -> FaultFiles {
        FaultFiles { directory: directory.into() }
    }
}

impl DeviceCare for FaultFiles {
    fn fault(&mut self, node: &str, device: u16) -> Option<Box<str>> {
        let text = std::fs::read_to_string(self.directory.join(format!("{node}.{device}"))).ok()?;
        let reason = text.trim();
        Some(if reason.is_empty() { "a fault was injected" } else { reason }.into())
    }
}

/// Devices that somebody waits for, and since when they were found unclean.
#[derive(Debug, Default)]
pub(super) struct Unclean {
    since: BTreeMap<(Arc<str>, u16), Tick>,
}

/// Whether a device can be handed on.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Clean,
    /// It may become clean.
    Wait,
    Broken(Box<str>),
}

impl Unclean {
    pub(super) fn judge(
        &mut self,
        care: &mut dyn DeviceCare,
        node: &Arc<str>,
        device: u16,
        now: Tick,
    ) -> Verdict {
        let key = (node.clone(), device);
        let Some(reason) = care.fault(node, device) else {
            self.since.remove(&key);
            return Verdict::Clean;
        };
        let since = *self.since.entry(key.clone()).or_insert(now);
        if now.since(since) < CLEAN_WITHIN {
            return Verdict::Wait;
        }
        self.since.remove(&key);
        Verdict::Broken(reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_gets_time_to_become_clean() {
        let directory = tempfile::tempdir().unwrap();
        let mut care = FaultFiles::in_directory(directory.path());
        let (mut unclean, node): (Unclean, Arc<str>) = (Unclean::default(), "n0".into());
        let mut at = |seconds: u64| unclean.judge(&mut care, &node, 3, Tick(seconds * 1_000));
        assert_eq!(at(1), Verdict::Clean);
        let file = directory.path().join("n0.3");
        std::fs::write(&file, "memory is not given back\n").unwrap();
        assert_eq!((at(2), at(11)), (Verdict::Wait, Verdict::Wait));
        std::fs::remove_file(&file).unwrap();
        assert_eq!(at(11), Verdict::Clean);
        std::fs::write(&file, "").unwrap();
        assert_eq!(at(13), Verdict::Wait, "it was clean in between");
        assert_eq!(at(23), Verdict::Broken("a fault was injected".into()));
    }
}
