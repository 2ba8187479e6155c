//! Where replicas go, by example.

use super::*;

fn pool(nodes: u32) -> Nodes {
    let mut pool = Nodes::new();
    for _ in 0..nodes {
        pool.add(spec(0, 8, 96));
    }
    pool
}

/// Places and books; returns the node of each replica.
fn put(nodes: &mut Nodes, gpu: u32, count: u32) -> Vec<u32> {
    let mut slots = Vec::new();
    nodes.place(&ask(Shape::with_gpu(gpu), count), &mut slots);
    slots.iter().for_each(|slot| nodes.occupy(slot, 7));
    slots.iter().map(|slot| slot.node.0).collect()
}

#[test]
fn small_requests_go_to_broken_nodes() {
    let mut nodes = pool(4);
    assert_eq!(put(&mut nodes, 1_000, 1), [0]);
    assert_eq!(put(&mut nodes, 4_000, 1), [0]);
    assert_eq!(put(&mut nodes, 8_000, 1), [1]);
    assert_eq!(put(&mut nodes, 5_000, 1), [2]);
    assert_eq!(put(&mut nodes, 2_000, 1), [0], "both broken nodes have three left; the lower number wins");
    assert_eq!(put(&mut nodes, 1_000, 1), [0], "the fewest free devices that hold it");
    assert_eq!(put(&mut nodes, 8_000, 2), [3]);
}

#[test]
fn fractions_go_to_the_tightest_broken_device() {
    let mut nodes = pool(2);
    put(&mut nodes, 500, 1);
    put(&mut nodes, 700, 1);
    let mut slots = Vec::new();
    nodes.place(&ask(Shape::with_gpu(300), 1), &mut slots);
    assert_eq!(slots[0].devices, Devices::Part { device: 1, milli: 300 });
    assert_eq!(put(&mut nodes, 300, 1), [0]);
    assert_eq!(put(&mut nodes, 500, 1), [0]);
    assert_eq!(nodes.node(NodeId(0)).free_devices, 6);
}

#[test]
fn a_gang_that_fits_one_node_stays_on_it() {
    let mut nodes = pool(4);
    put(&mut nodes, 3_000, 1);
    assert_eq!(put(&mut nodes, 1_000, 8), [1; 8]);
    assert_eq!(put(&mut nodes, 1_000, 5), [0; 5]);
}

#[test]
fn a_large_gang_takes_whole_nodes_and_its_rest_the_tightest() {
    let mut nodes = pool(5);
    put(&mut nodes, 5_000, 1);
    assert_eq!(put(&mut nodes, 2_000, 9), [1, 1, 1, 1, 2, 2, 2, 2, 0]);
    assert_eq!(put(&mut nodes, 8_000, 3), [3, 4]);
}

#[test]
fn requests_without_gpus_keep_away_from_gpus() {
    let mut nodes = pool(1);
    nodes.add(spec(0, 0, 16));
    nodes.add(spec(1, 2, 104));
    assert_eq!(put(&mut nodes, 0, 16), [1; 16]);
    assert_eq!(put(&mut nodes, 0, 1), [2], "most cores to spare beside its GPUs");
}

#[test]
fn a_request_heavy_on_cores_goes_where_cores_are_to_spare() {
    let mut nodes = pool(2);
    for node in [NodeId(0), NodeId(1)] {
        nodes.occupy(&Slot { node, devices: Devices::None, cpu: 56_000, memory: 0 }, 1);
    }
    let rich = nodes.add(spec(0, 8, 96));
    let heavy = Shape { gpu: WHOLE, cpu: 30_000, memory: GIB };
    let mut slots = Vec::new();
    nodes.place(&ask(heavy, 1), &mut slots);
    assert_eq!(slots[0].node, rich);
    let light = Shape { gpu: WHOLE, cpu: 1_000, memory: GIB };
    nodes.occupy(&Slot { node: NodeId(1), devices: Devices::None, cpu: 30_000, memory: 0 }, 1);
    nodes.place(&ask(light, 1), &mut slots);
    assert_eq!(slots[1].node, NodeId(1), "one light on cores mends a node that is short of them");
}

#[test]
fn a_reservation_is_left_free_by_those_who_respect_it() {
    let mut nodes = pool(2);
    nodes.bar(NodeId(0), 8);
    assert_eq!(put(&mut nodes, 1_000, 1), [1]);
    assert_eq!(put(&mut nodes, 500, 1), [1]);
    assert_eq!(put(&mut nodes, 8_000, 1), [0; 0]);
    let reasons = nodes.why_not(&ask(Shape::with_gpu(8_000), 1));
    assert_eq!((reasons.reserved, reasons.too_few_gpus, reasons.fit), (1, 1, 0));
    let mut slots = Vec::new();
    let holder = Ask { barred: Barred::Ignore, ..ask(Shape::with_gpu(8_000), 1) };
    assert_eq!(nodes.place(&holder, &mut slots), 1);
    nodes.unbar(NodeId(0), 8);
    assert_eq!(put(&mut nodes, 8_000, 1), [0]);
}

#[test]
fn one_huge_node_hands_out_its_devices_one_by_one() {
    let mut nodes = Nodes::new();
    let node = nodes.add(NodeSpec {
        name: "pod".into(),
        model: Some(ModelId(0)),
        gpus: 768,
        cpu: 1 << 40,
        memory: 1 << 50,
    });
    assert_eq!(put(&mut nodes, 64_000, 1), [0]);
    let mut slots = Vec::new();
    nodes.place(&ask(Shape::with_gpu(3_000), 1), &mut slots);
    assert_eq!(slots[0].devices, Devices::List([64, 65, 66].into()));
    assert_eq!(put(&mut nodes, 704_000, 1), [0]);
    assert_eq!(nodes.node(node).free_devices, 0);
    assert_eq!(put(&mut nodes, 1_000, 1), [0; 0]);
}

#[test]
fn reasons_name_what_is_short() {
    let mut nodes = pool(6);
    nodes.add(spec(1, 8, 96));
    nodes.set_state(NodeId(0), NodeState::Lost);
    nodes.set_state(NodeId(1), NodeState::Cordoned);
    for device in 0..8 {
        let devices = Devices::Part { device, milli: 600 };
        nodes.occupy(&Slot { node: NodeId(2), devices, cpu: 0, memory: 0 }, 1);
    }
    nodes.occupy(&Slot { node: NodeId(3), devices: Devices::Mask(255), cpu: 0, memory: 0 }, 1);
    nodes.occupy(&Slot { node: NodeId(4), devices: Devices::None, cpu: 95_500, memory: 0 }, 1);
    nodes.occupy(&Slot { node: NodeId(5), devices: Devices::None, cpu: 0, memory: 383 * GIB }, 1);
    let only_first = Ask { models: ModelSet::ANY.with(ModelId(0)), ..ask(Shape::with_gpu(2_000), 1) };
    let one_each = NodeReasons {
        nodes: 7,
        wrong_model: 1,
        lost: 1,
        cordoned: 1,
        too_few_gpus: 1,
        fragmented: 1,
        cpu: 1,
        memory: 1,
        ..NodeReasons::default()
    };
    assert_eq!(nodes.why_not(&only_first), one_each);
    assert_eq!(nodes.place(&only_first, &mut Vec::new()), 0);
    assert_eq!(
        one_each.text(),
        " (nodes: 1 with too few free GPUs, 1 with free GPUs that are scattered, 1 short of CPU, \
         1 short of memory, 1 of another model, 1 cordoned, 1 lost)"
    );
    assert_eq!(NodeReasons { nodes: 2, fit: 2, ..NodeReasons::default() }.text(), "");
}
