//! The book against a plain re-computation, and the packing that people expect.

use super::*;
use crate::resources::WHOLE;
use crate::slot::{Devices, Slot};
use proptest::prelude::*;

mod packing;

const GIB: u64 = 1 << 30;

fn spec(model: u8, gpus: u32, cores: u64) -> NodeSpec {
    let model = (gpus > 0).then_some(ModelId(model));
    NodeSpec { name: "n".into(), model, gpus, cpu: cores * 1_000, memory: cores * 4 * GIB }
}

fn ask(shape: Shape, count: u32) -> Ask<'static> {
    Ask { models: ModelSet::ANY, shape, count, allowed: None, barred: Barred::Respect }
}

/// What the naive model keeps: the slots themselves.
struct World {
    nodes: Nodes,
    held: Vec<(Slot, u32)>,
    bars: Vec<u32>,
    states: Vec<Option<NodeState>>,
    specs: Vec<NodeSpec>,
}

impl World {
    /// Free thousandths of each device, cores and memory, from the slots alone.
    fn naive(&self, i: usize) -> Capacity {
        let spec = &self.specs[i];
        let milli = std::iter::repeat_n(WHOLE as u16, spec.gpus as usize).collect();
        let mut free = Capacity { milli, cpu: spec.cpu, memory: spec.memory, kept: 0 };
        for (slot, _) in self.held.iter().filter(|(slot, _)| slot.node.index() == i) {
            capacity::each_device(&slot.devices, |device, milli| free.milli[usize::from(device)] -= milli);
            free.cpu -= u64::from(slot.cpu);
            free.memory -= slot.memory;
        }
        free
    }

    /// Replicas that node `i` takes, its state and bars respected.
    fn room(&self, i: usize, ask: &Ask) -> u32 {
        let model = self.specs[i].model;
        let suits = ask.shape.gpu == 0 || model.is_some_and(|model| ask.models.allows(model));
        let allowed = ask.allowed.is_none_or(|list| list.contains(&NodeId(i as u32)));
        if self.states[i] != Some(NodeState::Ready) || !suits || !allowed {
            return 0;
        }
        let mut free = self.naive(i);
        if ask.barred == Barred::Respect {
            let mut keep = self.bars[i];
            for milli in free.milli.iter_mut().rev().filter(|milli| u32::from(**milli) == WHOLE) {
                if keep > 0 {
                    *milli = 0;
                    keep -= 1;
                }
            }
        }
        free.fits(&ask.shape)
    }

    /// The most replicas that one model's nodes take.
    fn most(&self, ask: &Ask) -> u32 {
        let mut by_model = std::collections::BTreeMap::new();
        for i in 0..self.specs.len() {
            let key = if ask.shape.gpu == 0 { None } else { self.specs[i].model };
            let sum = by_model.entry(key).or_insert(0u32);
            *sum = sum.saturating_add(self.room(i, ask));
        }
        by_model.into_values().max().unwrap_or(0).min(ask.count)
    }

    fn check(&self) {
        let mut ready = [Figures::default(); MAX_MODELS + 1];
        for i in 0..self.specs.len() {
            let id = NodeId(i as u32);
            assert_eq!(self.nodes.contains(id), self.states[i].is_some());
            let Some(state) = self.states[i] else { continue };
            let (node, naive) = (self.nodes.node(id), self.naive(i));
            assert_eq!(self.nodes.capacity(id), naive);
            assert_eq!((node.state, node.barred), (state, self.bars[i]));
            assert_eq!(node.free_devices, naive.whole());
            assert_eq!(node.free_milli, naive.milli.iter().map(|&m| u32::from(m)).sum::<u32>());
            assert_eq!(self.nodes.rows[i].part, devices::largest_part(&naive.milli));
            assert_eq!(self.nodes.rows[i].filed, self.nodes.filing(&self.nodes.rows[i]));
            let here = self.held.iter().filter(|(slot, _)| slot.node == id);
            let mut units: Vec<u32> = here.map(|&(_, unit)| unit).collect();
            units.sort_unstable();
            let listed = node.residents.iter().flat_map(|r| std::iter::repeat_n(r.unit, r.replicas as usize));
            assert_eq!(listed.collect::<Vec<_>>(), units);
            if state == NodeState::Ready {
                ready[usize::from(self.nodes.rows[i].slot)].plus(&self.nodes.rows[i]);
            }
        }
        assert!(self.nodes.ceilings.are_exact(&self.nodes.rows));
        for (slot, figures) in ready.iter().enumerate() {
            assert_eq!(self.nodes.figures.ready(slot), figures);
        }
    }

    /// Places, and holds the answer against the naive one; returns the slots.
    fn place(&self, ask: &Ask) -> Vec<Slot> {
        let mut slots = Vec::new();
        let placed = self.nodes.place(ask, &mut slots);
        assert_eq!(placed as usize, slots.len());
        assert_eq!(placed, self.most(ask), "{ask:?}");
        assert!(self.nodes.at_most(ask) >= placed);
        assert_eq!(self.nodes.why_not(ask).fit > 0, placed > 0);
        let mut again = Vec::new();
        let everywhere: Vec<NodeId> = (0..self.specs.len() as u32).map(NodeId).collect();
        if ask.allowed.is_none() {
            self.nodes.place(&Ask { allowed: Some(&everywhere), ..*ask }, &mut again);
            assert_eq!(slots, again, "a list of all nodes is no restriction");
        }
        let models: std::collections::BTreeSet<_> =
            slots.iter().map(|slot| self.nodes.model(slot.node)).collect();
        assert!(ask.shape.gpu == 0 || models.len() <= 1, "a gang runs on one model");
        slots
    }
}

#[derive(Clone, Debug)]
enum Op {
    Add(u8, u32, u64),
    Remove(usize),
    State(usize, NodeState),
    Place { models: u16, shape: Shape, count: u32, bars: bool, allowed: Option<Vec<u8>> },
    Vacate(usize),
    Bar(usize, u32),
    Unbar(usize),
}

fn shapes() -> impl Strategy<Value = Shape> {
    let part = prop::sample::select(vec![0, 50, 110, 320, 470, 500, 650, 810, 999]);
    let gpu = prop_oneof![3 => part, 2 => prop::sample::select(vec![1, 1, 2, 3, 4, 8, 65, 100]).prop_map(|k| k * WHOLE)];
    (gpu, 0u32..24_000, 0u64..96).prop_map(|(gpu, cpu, gib)| Shape { gpu, cpu, memory: gib * GIB })
}

fn ops() -> impl Strategy<Value = Op> {
    let state =
        prop::sample::select(vec![NodeState::Ready, NodeState::Ready, NodeState::Cordoned, NodeState::Lost]);
    let gpus = prop::sample::select(vec![0, 1, 2, 4, 8, 8, 8, 130]);
    let allowed = prop::option::weighted(0.3, prop::collection::btree_set(0u8..20, 0..8));
    let allowed = allowed.prop_map(|set| set.map(|set| set.into_iter().collect()));
    prop_oneof![
        2 => (0u8..3, gpus, 1u64..130).prop_map(|(m, g, c)| Op::Add(m, g, c)),
        1 => any::<usize>().prop_map(Op::Remove),
        1 => (any::<usize>(), state).prop_map(|(n, s)| Op::State(n, s)),
        8 => (0u16..8, shapes(), 1u32..20, any::<bool>(), allowed)
            .prop_map(|(models, shape, count, bars, allowed)| Op::Place { models, shape, count, bars, allowed }),
        4 => any::<usize>().prop_map(Op::Vacate),
        1 => (any::<usize>(), 1u32..9).prop_map(|(n, d)| Op::Bar(n, d)),
        1 => any::<usize>().prop_map(Op::Unbar),
    ]
}

fn run(ops: &[Op]) -> World {
    let mut world = World {
        nodes: Nodes::new(),
        held: Vec::new(),
        bars: Vec::new(),
        states: Vec::new(),
        specs: Vec::new(),
    };
    for (at, op) in ops.iter().enumerate() {
        let live: Vec<usize> = (0..world.specs.len()).filter(|&i| world.states[i].is_some()).collect();
        let pick = |n: usize| (!live.is_empty()).then(|| live[n % live.len()]);
        match op {
            Op::Add(model, gpus, cores) => {
                let spec = spec(*model, *gpus, *cores);
                world.nodes.add(spec.clone());
                world.specs.push(spec);
                world.bars.push(0);
                world.states.push(Some(NodeState::Ready));
            }
            Op::Remove(n) => {
                if let Some(i) =
                    pick(*n).filter(|&i| world.held.iter().all(|(slot, _)| slot.node.index() != i))
                {
                    world.nodes.remove(NodeId(i as u32));
                    world.states[i] = None;
                }
            }
            Op::State(n, state) => {
                if let Some(i) = pick(*n) {
                    world.nodes.set_state(NodeId(i as u32), *state);
                    world.states[i] = Some(*state);
                }
            }
            Op::Place { models, shape, count, bars, allowed } => {
                let allowed: Option<Vec<NodeId>> =
                    allowed.as_ref().map(|list| list.iter().map(|&n| NodeId(u32::from(n))).collect());
                let barred = if *bars { Barred::Respect } else { Barred::Ignore };
                let ask = Ask {
                    models: ModelSet(*models),
                    shape: *shape,
                    count: *count,
                    allowed: allowed.as_deref(),
                    barred,
                };
                world.place(&Ask { count: 1, ..ask });
                for slot in world.place(&ask) {
                    world.nodes.occupy(&slot, at as u32 % 16);
                    world.held.push((slot, at as u32 % 16));
                }
            }
            Op::Vacate(n) if !world.held.is_empty() => {
                let (slot, unit) = world.held.swap_remove(n % world.held.len());
                world.nodes.vacate(&slot, unit);
            }
            Op::Vacate(_) => {}
            Op::Bar(n, devices) => {
                if let Some(i) = pick(*n) {
                    world.nodes.bar(NodeId(i as u32), *devices);
                    world.bars[i] += devices;
                }
            }
            Op::Unbar(n) => {
                if let Some(i) = pick(*n) {
                    world.nodes.unbar(NodeId(i as u32), world.bars[i]);
                    world.bars[i] = 0;
                }
            }
        }
        world.check();
    }
    world
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_book_agrees_with_a_plain_recomputation(ops in prop::collection::vec(ops(), 1..80)) {
        let world = run(&ops);
        prop_assert!(world.nodes == run(&ops).nodes);
        prop_assert!(world.nodes == world.nodes.clone());
    }

    #[test]
    fn a_pool_of_several_blocks_is_searched_to_its_end(ops in prop::collection::vec(ops(), 1..40), cores in 1u64..12) {
        let many = (0..150).map(|i| Op::Add(0, 1 + i % 3, cores + u64::from(i / 70)));
        let ops: Vec<Op> = many.chain(ops).collect();
        run(&ops);
    }

    #[test]
    fn the_answer_depends_on_the_book_and_not_on_its_history(
        ops in prop::collection::vec(ops(), 1..60), shape in shapes(), detour in shapes(), count in 1u32..12
    ) {
        let mut world = run(&ops);
        let before = world.place(&ask(shape, count));
        let copy = world.nodes.clone();
        let slots = world.place(&ask(detour, 5));
        slots.iter().for_each(|slot| world.nodes.occupy(slot, 99));
        slots.iter().rev().for_each(|slot| world.nodes.vacate(slot, 99));
        prop_assert!(world.nodes == copy);
        prop_assert_eq!(world.place(&ask(shape, count)), before);
    }

    #[test]
    fn an_empty_pool_hosts_what_the_counters_say(
        adds in prop::collection::vec((0u8..3, prop::sample::select(vec![0u32, 1, 2, 8, 130]), 1u64..130), 1..20),
        shape in shapes(), models in 0u16..8
    ) {
        let mut nodes = Nodes::new();
        let ids: Vec<NodeId> = adds.iter().map(|&(m, g, c)| nodes.add(spec(m, g, c))).collect();
        let hosts = nodes.hosts_empty(ModelSet(models), &shape, None);
        prop_assert_eq!(hosts, nodes.hosts_empty(ModelSet(models), &shape, Some(&ids)));
        let count = 2_000;
        let asked = Ask { models: ModelSet(models), ..ask(shape, count) };
        let placed = nodes.place(&asked, &mut Vec::new());
        prop_assert_eq!(u64::from(placed), hosts.min(u64::from(count)));
        let limit = u32::try_from(hosts).unwrap_or(u32::MAX);
        prop_assert!(nodes.could_host_empty(ModelSet(models), &shape, None, limit));
        prop_assert!(hosts >= u64::from(u32::MAX) || !nodes.could_host_empty(ModelSet(models), &shape, None, limit + 1));
        for &id in &ids {
            prop_assert_eq!(nodes.fits_now(id, &shape), nodes.fits_empty(id, &shape));
        }
    }
}

#[test]
#[should_panic(expected = "is not in the pool")]
fn an_unknown_node_is_no_answer() {
    Nodes::new().node(NodeId(0));
}

#[test]
#[should_panic(expected = "thousandths left")]
fn what_is_taken_is_not_taken_again() {
    let mut nodes = Nodes::new();
    let node = nodes.add(spec(0, 8, 96));
    let slot = Slot { node, devices: Devices::Mask(1), cpu: 0, memory: 0 };
    nodes.occupy(&slot, 1);
    nodes.occupy(&slot, 2);
}

#[test]
#[should_panic(expected = "is not on")]
fn what_is_not_booked_is_not_freed() {
    let mut nodes = Nodes::new();
    let node = nodes.add(spec(0, 8, 96));
    nodes.vacate(&Slot { node, devices: Devices::Mask(1), cpu: 0, memory: 0 }, 1);
}
