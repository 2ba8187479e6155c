//! An engine with a pool, and the few commands that all shapes are built from.

use std::fmt::Write;
use tidegate_check::Checker;
use tidegate_engine::event::{Event, EventKind};
use tidegate_engine::ids::{ModelId, NodeId, PoolId, QuotaId, Span, Tick, WorkloadId};
use tidegate_engine::nodes::NodeSpec;
use tidegate_engine::policy::{Policy, QuotaSpec, Source};
use tidegate_engine::resources::{Resources, Shape, WHOLE};
use tidegate_engine::words::{Module, PoolKind};
use tidegate_engine::workload::WorkloadSpec;
use tidegate_engine::{Command, Engine};

/// Cores and memory of a node: enough for the mix of requests to run out of GPUs first.
const NODE_CPU: u64 = 128_000;
const NODE_MEMORY: u64 = 1 << 40;

#[derive(Clone, Debug)]
pub struct Cluster {
    pub engine: Engine,
    pub now: Tick,
    /// Sees every event that does not belong to a sample.
    pub witness: Option<Checker>,
    submitted: u64,
}

impl Cluster {
    /// One pool of equal nodes.
    pub fn new(nodes: u32, gpus: u32) -> Cluster {
        Cluster::watched(nodes, gpus, None)
    }

    pub fn watched(nodes: u32, gpus: u32, witness: Option<Checker>) -> Cluster {
        let mut cluster = Cluster { engine: Engine::new(), now: Tick::ZERO, witness, submitted: 0 };
        cluster.handle(Command::CreatePool { name: "pool".into(), kind: PoolKind::General });
        for node in 0..nodes {
            cluster.add_node(node, gpus);
        }
        cluster
    }

    pub fn add_node(&mut self, number: u32, gpus: u32) {
        // Enough for the default of 1 core and 2 GiB for every GPU of a very large node.
        let (cpu, memory) = (NODE_CPU.max(u64::from(gpus * WHOLE)), NODE_MEMORY.max(u64::from(gpus) << 31));
        let spec = NodeSpec { name: format!("node-{number}").into(), model: None, gpus, cpu, memory };
        self.handle(Command::AddNode { pool: PoolId(0), model: Some("H100".into()), spec });
    }

    pub fn root(&mut self, gpus: u32, policy: Policy) -> QuotaId {
        self.quota(Source::Pool(PoolId(0)), gpus, policy)
    }

    pub fn child(&mut self, parent: QuotaId, gpus: u32, policy: Policy) -> QuotaId {
        self.quota(Source::Parent(parent), gpus, policy)
    }

    fn quota(&mut self, source: Source, gpus: u32, policy: Policy) -> QuotaId {
        let guarantee = Resources::gpus(ModelId(0), i64::from(gpus) * i64::from(WHOLE));
        let events = self.handle(Command::CreateQuota(Box::new(QuotaSpec {
            name: format!("q{}", self.engine.books().len()).into(),
            source,
            guarantee,
            policy,
        })));
        match events.first().map(|e| &e.kind) {
            Some(EventKind::QuotaCreated { quota, .. }) => *quota,
            other => panic!("creating a quota gave {other:?}"),
        }
    }

    /// A workload with a fresh name.
    pub fn spec(&mut self, quota: QuotaId, module: Module, replicas: u32, shape: Shape) -> WorkloadSpec {
        let mut name = String::with_capacity(12);
        write!(name, "w{}", self.submitted).expect("a string takes all");
        self.submitted += 1;
        WorkloadSpec::new(&name, quota, module, replicas, shape)
    }

    /// Carries out a command that a benchmark knows to be in order.
    pub fn handle(&mut self, command: Command) -> Vec<Event> {
        let events = match self.engine.handle(self.now, command) {
            Ok(events) => events,
            Err(refusal) => panic!("refused: {refusal}"),
        };
        if let Some(Err(violation)) = self.witness.as_mut().map(|witness| witness.observe(&events)) {
            panic!("{violation}");
        }
        events
    }

    pub fn wait(&mut self, span: Span) {
        self.now = self.now.after(span);
    }

    /// Submits, and says where the first replica landed, if it started.
    pub fn submit(&mut self, spec: WorkloadSpec) -> (WorkloadId, Option<NodeId>) {
        let events = self.handle(Command::Submit(Box::new(spec)));
        (submitted(&events), started_on(&events))
    }

    /// Ends a running workload and forgets it.
    pub fn finish(&mut self, workload: WorkloadId) {
        self.handle(Command::Finished { workload });
        self.handle(Command::Forget { workload });
    }

    /// Takes a waiting workload back and forgets it.
    pub fn stop(&mut self, workload: WorkloadId) {
        self.handle(Command::Stop { workload });
        self.handle(Command::Forget { workload });
    }
}

/// What is measured, and nothing else: one command, decided and applied. A frame of its own, so that a
/// profiler can count its instructions.
#[inline(never)]
pub fn measured_decision(engine: &mut Engine, now: Tick, command: Command) -> Vec<Event> {
    match engine.handle(now, command) {
        Ok(events) => events,
        Err(refusal) => panic!("refused: {refusal}"),
    }
}

/// Which workload a submission was about.
pub fn submitted(events: &[Event]) -> WorkloadId {
    match events.first().map(|e| &e.kind) {
        Some(EventKind::Queued { workload, .. }) => *workload,
        other => panic!("a submission began with {other:?}"),
    }
}

/// The node of the first replica that started.
pub fn started_on(events: &[Event]) -> Option<NodeId> {
    events.iter().find_map(|e| match &e.kind {
        EventKind::Started { grants, .. } => grants.first()?.slots.first().map(|slot| slot.node),
        _ => None,
    })
}

/// Units that were asked to stop.
pub fn evicted(events: &[Event]) -> Vec<(WorkloadId, u32)> {
    let units = events.iter().filter_map(|e| match &e.kind {
        EventKind::Evicted { workload, units, .. } => Some(units.iter().map(|unit| (*workload, *unit))),
        _ => None,
    });
    units.flatten().collect()
}
