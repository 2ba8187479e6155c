//! Amounts of GPUs, cores and memory: as they are asked for, and as the books show them.

use crate::by_model::ByModel;
use crate::decimal::{Cores, Gpus, write_milli};
use crate::memory::Memory;
use crate::name::Name;
use crate::problem::{Code, Problem};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::collections::BTreeMap;
use tidegate_engine::Engine;
use tidegate_engine::ids::{ModelId, PoolId};
use tidegate_engine::reason::Names;
use tidegate_engine::resources::{Dimension, Resources};
use utoipa::ToSchema;
use utoipa::openapi::schema::{ObjectBuilder, Type};

/// Amounts that are asked for.
///
/// `gpu` is a number where the pool has one GPU model, or an object with a number for each model.
/// The root of a quota tree decides whether CPU and memory are on its books.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(examples(json!({"gpu": 48}), json!({"gpu": {"H100": 48}, "cpu": 512, "memory": "4Ti"})))]
pub struct Guarantee {
    #[schema(schema_with = crate::by_model::schema::<Gpus>)]
    pub gpu: ByModel<Gpus>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Cores>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Memory>,
}

/// Thousandths of a GPU or of a core; negative where an account is overdrawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Figure(pub i64);

impl std::fmt::Display for Figure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&tidegate_engine::amounts::Amount::milli(self.0))
    }
}

impl Serialize for Figure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write_milli(self.0, serializer)
    }
}

impl<'de> Deserialize<'de> for Figure {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Figure, D::Error> {
        let value = f64::deserialize(deserializer)?;
        let milli = (value * 1_000.0).round();
        if milli.abs() > i64::MAX as f64 / 2.0 || milli.is_nan() {
            return Err(de::Error::custom(format!("{value} is out of bounds")));
        }
        Ok(Figure(milli as i64))
    }
}

impl utoipa::PartialSchema for Figure {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        ObjectBuilder::new()
            .schema_type(Type::Number)
            .description(Some(
                "GPUs or cores, with up to three decimals; negative where an account is overdrawn.",
            ))
            .into()
    }
}

impl ToSchema for Figure {}

/// Amounts as the books show them: GPUs and cores as numbers with up to three decimals, memory in bytes.
/// `gpu` is a number where the pool has one GPU model, or an object with a number for each model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({"gpu": 48}), json!({"gpu": {"H100": 48, "A100": 0.5}, "memory": 4398046511104u64})))]
pub struct Amounts {
    #[schema(schema_with = crate::by_model::schema::<Figure>)]
    pub gpu: ByModel<Figure>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Figure>,
    /// Bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<i64>,
}

impl Amounts {
    /// The amounts of `r` with the pool's names. CPU and memory are shown if `kept` states them.
    pub fn of(engine: &Engine, pool: PoolId, r: &Resources, kept: &Resources) -> Amounts {
        let shown = |d: Dimension| kept[d] != 0 || r[d] != 0;
        Amounts {
            gpu: by_model(engine.model_names(pool), |d| Figure(r[d])),
            cpu: shown(Dimension::CPU).then(|| Figure(r[Dimension::CPU])),
            memory: shown(Dimension::MEMORY).then(|| r[Dimension::MEMORY]),
        }
    }

    /// GPUs of all models together.
    pub fn gpus(&self) -> Figure {
        match &self.gpu {
            ByModel::One(figure) => *figure,
            ByModel::Each(figures) => Figure(figures.values().fold(0, |sum, f| f.0.saturating_add(sum))),
        }
    }
}

/// One figure if there is one model or none.
fn by_model<T>(models: &[Box<str>], figure: impl Fn(Dimension) -> T) -> ByModel<T> {
    if models.len() < 2 {
        return ByModel::One(figure(Dimension::gpu(ModelId(0))));
    }
    let each = models.iter().enumerate().filter_map(|(index, name)| {
        // The engine checks model names by the same rule.
        Some((Name::new(name).ok()?, figure(Dimension::gpu(ModelId(index as u8)))))
    });
    ByModel::Each(each.collect::<BTreeMap<_, _>>())
}

impl Guarantee {
    /// A number of GPUs and nothing else.
    pub fn gpus(gpus: Gpus) -> Guarantee {
        Guarantee { gpu: ByModel::One(gpus), cpu: None, memory: None }
    }

    /// As it would be asked for.
    pub fn of(engine: &Engine, pool: PoolId, r: &Resources) -> Guarantee {
        let bytes = u64::try_from(r[Dimension::MEMORY]).ok().and_then(|bytes| Memory::new(bytes).ok());
        Guarantee {
            gpu: by_model(engine.model_names(pool), |d| Gpus::nearest(r[d])),
            cpu: Some(Cores::nearest(r[Dimension::CPU])).filter(|cpu| *cpu != Cores::ZERO),
            memory: bytes.filter(|memory| memory.bytes() > 0),
        }
    }

    /// As the engine keeps it. `at` points to this value in the request.
    pub fn resources(&self, engine: &Engine, pool: PoolId, at: &str) -> Result<Resources, Problem> {
        self.onto(engine, pool, Resources::default(), at)
    }

    /// The same on top of other amounts: what is not stated stays.
    pub fn onto(
        &self,
        engine: &Engine,
        pool: PoolId,
        base: Resources,
        at: &str,
    ) -> Result<Resources, Problem> {
        let mut all = base;
        let models = engine.model_names(pool);
        match &self.gpu {
            ByModel::One(gpus) => match models {
                [_] => all[Dimension::gpu(ModelId(0))] = gpus.milli(),
                _ if gpus.milli() == 0 => {}
                [] => {
                    let what = if gpus.to_string() == "1" { "GPU" } else { "GPUs" };
                    let detail = format!("{gpus} {what} cannot be had: the pool has no GPUs");
                    return Err(Problem::new(Code::BadAmount, detail).at(format!("{at}/gpu")));
                }
                models => {
                    let pool = engine.pool(pool).map_or("", |p| &p.name);
                    let detail = format!("pool {pool} has several GPU models: {}", models.join(", "));
                    return Err(Problem::new(Code::BadAmount, detail)
                        .hint(r#"state an amount for each model, as in {"H100": 48, "A100": 16}"#)
                        .at(format!("{at}/gpu")));
                }
            },
            ByModel::Each(figures) => {
                for (name, gpus) in figures {
                    let at = || format!("{at}/gpu/{}", crate::pointer::escape(name));
                    all[Dimension::gpu(model(engine, pool, name, at)?)] = gpus.milli();
                }
            }
        }
        all[Dimension::CPU] = self.cpu.map_or(base[Dimension::CPU], Cores::milli);
        all[Dimension::MEMORY] = self.memory.map_or(base[Dimension::MEMORY], Memory::amount);
        Ok(all)
    }
}

/// A GPU model of the pool; `at` points to where it is named.
pub(crate) fn model(
    engine: &Engine,
    pool: PoolId,
    name: &Name,
    at: impl FnOnce() -> String,
) -> Result<ModelId, Problem> {
    let models = engine.model_names(pool);
    match models.iter().position(|known| **known == *name.as_str()) {
        Some(index) => Ok(ModelId(index as u8)),
        None => {
            let pool = engine.pool(pool).map_or("", |p| &p.name);
            let detail = format!("pool {pool} has no GPU model {name}; it has {}", models.join(", "));
            Err(Problem::new(Code::UnknownReference, detail).hint("name one of the pool's models").at(at()))
        }
    }
}
