//! The GPUs of this machine, as its driver tells. Without a driver there are none.

use super::devices::DeviceCare;
use super::meters::{GpuMeter, GpuProcess, GpuUse};
use nvml_wrapper::enums::device::UsedGpuMemory;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::{Device, Nvml};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Memory that a GPU may hold beyond what it held when it was idle: drivers keep a little.
const SLACK: u64 = 512 << 20;

/// One GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gpu {
    /// By which a driver knows it.
    pub uuid: Box<str>,
    /// Its model as a name: letters, digits, `-`, `_` and `.`.
    pub model: Box<str>,
    /// Bytes.
    pub memory: u64,
}

/// The GPUs that the driver knows, by number.
#[derive(Debug)]
pub struct Gpus {
    nvml: Nvml,
    pub list: Vec<Gpu>,
    /// Bytes in use while nobody computes: the least that was seen.
    idle: Mutex<BTreeMap<usize, u64>>,
    /// When the driver last looked what processes do, as it counts.
    looked: Mutex<BTreeMap<usize, u64>>,
}

impl Gpus {
    /// `None` without a driver, or without GPUs.
    pub fn find() -> Option<Gpus> {
        let nvml = Nvml::init().ok()?;
        let list: Result<Vec<Gpu>, NvmlError> = (0..nvml.device_count().ok()?)
            .map(|number| {
                let device = nvml.device_by_index(number)?;
                let (uuid, model) = (device.uuid()?.into(), model_name(&device.name()?).into());
                Ok(Gpu { uuid, model, memory: device.memory_info()?.total })
            })
            .collect();
        let list = list.ok().filter(|list| !list.is_empty())?;
        Some(Gpus { nvml, list, idle: Mutex::default(), looked: Mutex::default() })
    }

    pub fn use_of(&self, number: usize) -> Result<GpuUse, String> {
        let gpu = self.list.get(number).ok_or("the driver knows no such GPU")?;
        let seen = || -> Result<GpuUse, NvmlError> {
            let device = self.nvml.device_by_uuid(&*gpu.uuid)?;
            let bytes = |memory| match memory {
                UsedGpuMemory::Used(bytes) => Some(bytes),
                UsedGpuMemory::Unavailable => None,
            };
            let duties = self.duties(number, &device);
            let duty = |pid| Some(duties.as_ref()?.get(&pid).copied().unwrap_or(0));
            let processes = device.running_compute_processes()?.into_iter();
            Ok(GpuUse {
                duty: device.utilization_rates()?.gpu.min(100) * 10,
                memory: device.memory_info()?.used,
                total: gpu.memory,
                processes: processes
                    .map(|p| GpuProcess { pid: p.pid, memory: bytes(p.used_gpu_memory), duty: duty(p.pid) })
                    .collect(),
            })
        };
        seen().map_err(|error| format!("the driver does not answer for it: {error}"))
    }

    /// How much each process computed since the last look, in thousandths; who is not there did not. `None` if the
    /// driver does not tell.
    fn duties(&self, number: usize, device: &Device<'_>) -> Option<BTreeMap<u32, u32>> {
        let mut looked = self.looked.lock().expect("nobody panics while looking at GPUs");
        let samples = match device.process_utilization_stats(looked.get(&number).copied()) {
            Ok(samples) => samples,
            Err(NvmlError::NotFound) => Vec::new(),
            Err(_) => return None,
        };
        if let Some(latest) = samples.iter().map(|sample| sample.timestamp).max() {
            looked.insert(number, latest);
        }
        let mut sums: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
        for sample in samples {
            let (sum, count) = sums.entry(sample.pid).or_default();
            (*sum, *count) = (*sum + sample.sm_util.min(100) * 10, *count + 1);
        }
        Some(sums.into_iter().map(|(pid, (sum, count))| (pid, sum / count)).collect())
    }

    /// Why a GPU that nobody is to use is not clean.
    fn fault(&self, number: usize) -> Option<String> {
        let seen = match self.use_of(number) {
            Ok(seen) => seen,
            Err(why) => return Some(why),
        };
        if !seen.processes.is_empty() {
            let pids: Vec<String> = seen.processes.iter().map(|p| p.pid.to_string()).collect();
            return Some(format!("a stray process computes on it: {}", pids.join(", ")));
        }
        let mut idle = self.idle.lock().expect("nobody panics while looking at GPUs");
        let least = idle.entry(number).or_insert_with(|| seen.memory.min(self.list[number].memory / 50));
        *least = seen.memory.min(*least);
        (seen.memory > *least + SLACK).then(|| {
            let mib = |bytes: u64| bytes >> 20;
            format!(
                "its memory was not given back: {} MiB in use, {} MiB when idle",
                mib(seen.memory),
                mib(*least)
            )
        })
    }
}

/// A model's name as names are: `NVIDIA H200 NVL` is `H200-NVL`.
fn model_name(told: &str) -> String {
    let short = told.strip_prefix("NVIDIA ").unwrap_or(told).trim();
    let fine = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let name: String = short.chars().map(fine).take(63).collect();
    let name = name.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    if name.is_empty() { "GPU".into() } else { name.into() }
}

/// Looks after the GPUs of nodes, each of which is some of the machine's.
#[derive(Clone, Debug)]
pub struct RealDevices {
    pub gpus: Arc<Gpus>,
    /// Numbers of the GPUs of each node.
    pub nodes: BTreeMap<Box<str>, Vec<usize>>,
}

impl DeviceCare for RealDevices {
    fn fault(&mut self, node: &str, device: u16) -> Option<Box<str>> {
        let number = self.nodes.get(node).map(|numbers| numbers.get(usize::from(device)).copied());
        match number {
            // Its GPUs are not of this machine, or only pretended.
            None => None,
            Some(None) => Some("this machine has no such GPU any more".into()),
            Some(Some(number)) => self.gpus.fault(number).map(Into::into),
        }
    }
}

impl GpuMeter for RealDevices {
    fn read(&self, node: &str, device: u16) -> Option<GpuUse> {
        let number = *self.nodes.get(node)?.get(usize::from(device))?;
        self.gpus.use_of(number).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_has_a_name() {
        for (told, name) in [
            ("NVIDIA H200", "H200"),
            ("NVIDIA A100-SXM4-80GB", "A100-SXM4-80GB"),
            ("Tesla T4", "Tesla-T4"),
            ("NVIDIA RTX 6000 Ada Generation", "RTX-6000-Ada-Generation"),
            ("(?)", "GPU"),
        ] {
            assert_eq!(model_name(told), name);
        }
    }
}
