//! What is shared: GPUs of each model, CPU, memory. Integers only.

use crate::ids::ModelId;
use serde::{Deserialize, Serialize};

/// GPU models in one pool. A model is a dimension of every account in the pool's trees.
pub const MAX_MODELS: usize = 16;
/// Dimensions of an account: every GPU model, then CPU, then memory.
pub const DIMENSIONS: usize = MAX_MODELS + 2;
/// One device, one core: amounts are kept in thousandths, so that 0.5 is exact.
pub const WHOLE: u32 = 1_000;
/// Devices of one node. Bounds the device bitmaps; the largest machine sold has 72.
pub const MAX_DEVICES: u32 = 4_096;
/// Largest amount accepted in any dimension. Sums over a pool stay far below `i64::MAX`.
pub const MAX_AMOUNT: i64 = 1 << 53;

/// One dimension of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Dimension(pub u8);

impl Dimension {
    pub const CPU: Dimension = Dimension(MAX_MODELS as u8);
    pub const MEMORY: Dimension = Dimension(MAX_MODELS as u8 + 1);

    pub fn gpu(model: ModelId) -> Dimension {
        Dimension(model.0)
    }

    /// The GPU model of this dimension, if it is one of GPUs.
    pub fn model(self) -> Option<ModelId> {
        (usize::from(self.0) < MAX_MODELS).then_some(ModelId(self.0))
    }

    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub fn all() -> impl Iterator<Item = Dimension> {
        (0..DIMENSIONS as u8).map(Dimension)
    }
}

/// An amount in every dimension: GPUs and CPU in thousandths, memory in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Resources(pub [i64; DIMENSIONS]);

impl Default for Resources {
    fn default() -> Self {
        Resources([0; DIMENSIONS])
    }
}

impl Resources {
    pub fn of(dimension: Dimension, amount: i64) -> Resources {
        let mut r = Resources::default();
        r[dimension] = amount;
        r
    }

    pub fn gpus(model: ModelId, milli: i64) -> Resources {
        Resources::of(Dimension::gpu(model), milli)
    }

    /// GPUs of all models together, in thousandths.
    pub fn all_gpus(&self) -> i64 {
        self.0[..MAX_MODELS].iter().sum()
    }

    /// Dimensions with an amount other than zero.
    pub fn stated(&self) -> impl Iterator<Item = (Dimension, i64)> + '_ {
        Dimension::all().map(|d| (d, self[d])).filter(|&(_, a)| a != 0)
    }

    pub fn plus(&self, other: &Resources) -> Resources {
        let mut sum = *self;
        for (a, b) in sum.0.iter_mut().zip(other.0) {
            *a = a.saturating_add(b);
        }
        sum
    }

    pub fn minus(&self, other: &Resources) -> Resources {
        let mut rest = *self;
        for (a, b) in rest.0.iter_mut().zip(other.0) {
            *a = a.saturating_sub(b);
        }
        rest
    }
}

impl std::ops::Index<Dimension> for Resources {
    type Output = i64;
    #[inline]
    fn index(&self, d: Dimension) -> &i64 {
        &self.0[d.index()]
    }
}

impl std::ops::IndexMut<Dimension> for Resources {
    #[inline]
    fn index_mut(&mut self, d: Dimension) -> &mut i64 {
        &mut self.0[d.index()]
    }
}

/// What one replica asks of the node it runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shape {
    /// Thousandths of a GPU: below `WHOLE` a share of one device, else whole devices.
    pub gpu: u32,
    /// Thousandths of a core.
    pub cpu: u32,
    /// Bytes.
    pub memory: u64,
}

impl Shape {
    /// What a replica gets when it does not say: one core and 2 GiB.
    pub const DEFAULT_CPU: u32 = WHOLE;
    pub const DEFAULT_MEMORY: u64 = 2 << 30;

    pub fn with_gpu(gpu: u32) -> Shape {
        Shape { gpu, cpu: Shape::DEFAULT_CPU, memory: Shape::DEFAULT_MEMORY }
    }

    /// Whole devices that it takes; zero for a fraction.
    #[inline]
    pub fn devices(&self) -> u32 {
        self.gpu / WHOLE
    }

    /// The fraction of a single device that it takes, in thousandths; zero if it takes whole ones.
    #[inline]
    pub fn fraction(&self) -> u32 {
        self.gpu % WHOLE
    }
}

/// A set of GPU models of one pool; empty means any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ModelSet(pub u16);

impl ModelSet {
    pub const ANY: ModelSet = ModelSet(0);

    #[must_use]
    pub fn with(self, model: ModelId) -> ModelSet {
        ModelSet(self.0 | 1 << model.0)
    }

    pub fn allows(self, model: ModelId) -> bool {
        self.0 == 0 || self.0 & (1 << model.0) != 0
    }
}
