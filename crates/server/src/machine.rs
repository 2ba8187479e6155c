//! What there is to share: found on this machine, or asked for.

use std::fs;
use tidegate_engine::resources::{MAX_DEVICES, WHOLE};
use tidegate_executor::local::Gpu;

/// Nodes at most: each is an event of the first start.
pub const MAX_NODES: u32 = 10_000;
/// The model of GPUs that are not there.
pub const VIRTUAL_MODEL: &str = "virtual";
/// What a virtual node has for each of its GPUs, so that GPUs are what runs out first.
const CPU_PER_GPU: u64 = 16 * WHOLE as u64;
const MEMORY_PER_GPU: u64 = 128 << 30;

/// Equal nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    pub nodes: u32,
    /// Devices of each node.
    pub gpus: u32,
    pub model: Box<str>,
    /// Thousandths of a core.
    pub cpu: u64,
    /// Bytes.
    pub memory: u64,
}

impl Machine {
    /// This machine: a node for each model of its GPUs, with cores and memory in proportion; one without if it has
    /// none.
    pub fn here(gpus: &[Gpu]) -> Vec<Machine> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from) as u64;
        let memory = fs::read_to_string("/proc/meminfo").ok().as_deref().and_then(total_memory);
        let (cpu, memory) = (cores * u64::from(WHOLE), memory.unwrap_or(4 << 30));
        let node = |(model, numbers): (Box<str>, Vec<usize>)| {
            let (part, all) = (numbers.len() as u64, gpus.len() as u64);
            Machine { nodes: 1, gpus: part as u32, model, cpu: cpu * part / all, memory: memory * part / all }
        };
        match by_model(gpus) {
            none if none.is_empty() => {
                vec![Machine { nodes: 1, gpus: 0, model: VIRTUAL_MODEL.into(), cpu, memory }]
            }
            models => models.into_iter().map(node).collect(),
        }
    }

    /// `NODESxGPUS`, as `--virtual-gpus` has it.
    pub fn virtual_gpus(text: &str) -> Result<Machine, String> {
        let wrong = || {
            format!(
                "{text:?} is not NODESxGPUS, such as 16x8, with at most {MAX_NODES} nodes of at most {MAX_DEVICES} GPUs"
            )
        };
        let (nodes, gpus) = text.split_once('x').ok_or_else(wrong)?;
        let (nodes, gpus): (u32, u32) =
            (nodes.parse().map_err(|_| wrong())?, gpus.parse().map_err(|_| wrong())?);
        if !(1..=MAX_NODES).contains(&nodes) || !(1..=MAX_DEVICES).contains(&gpus) {
            return Err(wrong());
        }
        Ok(Machine {
            nodes,
            gpus,
            model: VIRTUAL_MODEL.into(),
            cpu: u64::from(gpus) * CPU_PER_GPU,
            memory: u64::from(gpus) * MEMORY_PER_GPU,
        })
    }
}

/// Models in the order in which GPUs have them, with the numbers of those GPUs.
pub fn by_model(gpus: &[Gpu]) -> Vec<(Box<str>, Vec<usize>)> {
    let mut models: Vec<(Box<str>, Vec<usize>)> = Vec::new();
    for (number, gpu) in gpus.iter().enumerate() {
        match models.iter_mut().find(|(model, _)| *model == gpu.model) {
            Some((_, numbers)) => numbers.push(number),
            None => models.push((gpu.model.clone(), vec![number])),
        }
    }
    models
}

/// Bytes of memory as the kernel tells it.
fn total_memory(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1_024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn virtual_gpus_are_nodes_times_gpus() {
        let machine = Machine::virtual_gpus("16x8").expect("fine");
        assert_eq!((machine.nodes, machine.gpus), (16, 8));
        for wrong in
            ["", "8", "x8", "16x", "0x8", "16x0", "-1x8", "10001x1", "1x4097", "1x8x2", "99999999999x1"]
        {
            let error = Machine::virtual_gpus(wrong).expect_err(wrong);
            assert!(error.contains("NODESxGPUS"), "{error}");
        }
    }

    #[test]
    fn the_kernel_is_read() {
        assert_eq!(total_memory("MemTotal:       16000 kB\nMemFree: 1 kB\n"), Some(16_384_000));
        assert_eq!(total_memory("nothing"), None);
        let here = Machine::here(&[]);
        assert!(here.len() == 1 && here[0].gpus == 0 && here[0].cpu >= 1_000, "{here:?}");
    }

    #[test]
    fn there_is_a_node_for_each_model() {
        let gpu = |model: &str| Gpu { uuid: "GPU-1".into(), model: model.into(), memory: 80 << 30 };
        let gpus = ["H200", "H200", "A100", "H200"].map(gpu);
        let here = Machine::here(&gpus);
        let seen: Vec<_> = here.iter().map(|m| (&*m.model, m.nodes, m.gpus)).collect();
        assert_eq!(seen, [("H200", 1, 3), ("A100", 1, 1)]);
        assert_eq!(here[0].cpu, here[1].cpu * 3);
        assert_eq!(by_model(&gpus)[0].1, [0, 1, 3]);
    }
}
