//! `pool` and `quota` lines, and the options that `set` shares with them.

use super::figures::{count, duration, gpus, milli, size};
use super::options::{Options, Written, on_off};
use super::piece::{Piece, Placed, Unexpected, Words};
use super::sets::{child_level, self_level};
use super::tree::{AmountText, PolicyText, PoolText, QuotaText, SourceText};
use super::{MAX_NODES, MODES, POLICY_OPTIONS, STRATEGIES};
use tidegate_engine::resources::{MAX_AMOUNT, MAX_DEVICES};
use tidegate_engine::words::{Mode, PoolKind, Strategy};

/// `NAME NODESxGPUS MODEL [OPTION...]`, after the word `pool`.
pub(crate) fn pool(words: &mut Words<'_>) -> Result<PoolText, Unexpected> {
    let name = words.need("the name of a pool")?.owned();
    let size_word = words.need("NODESxGPUS, such as 16x8")?;
    let (nodes, devices) =
        size_word.split_once('x').ok_or_else(|| size_word.expected("NODESxGPUS, such as 16x8"))?;
    let nodes = count(nodes, "nodes", u64::from(MAX_NODES))? as u32;
    let gpus = count(devices, "GPUs of one node", u64::from(MAX_DEVICES))? as u32;
    let mut pool = PoolText { name, nodes, gpus, model: None, cpu: None, memory: None, kind: None };
    match words.peek().filter(|word| !word.text.contains('=')) {
        Some(word) => {
            words.next();
            pool.model = (word.text != "-").then(|| word.text.into());
        }
        None if gpus > 0 => return Err(missing(words, "a GPU model")),
        None => {}
    }
    let mut options = Options::default();
    while let Some(option) = options.next(words)? {
        match option.key {
            "cpu" => pool.cpu = Some(milli(option.value()?, "cores", MAX_AMOUNT)? as u64),
            "memory" => pool.memory = Some(size(option.value()?)?),
            "kind" => pool.kind = Some(option.word_of(PoolKind::parse, "general or lingjun")?),
            _ => return Err(option.word.expected("cpu=, memory= or kind=")),
        }
    }
    Ok(pool)
}

/// The next word is not what should stand there.
fn missing(words: &Words<'_>, expected: &str) -> Unexpected {
    match words.peek() {
        Some(word) => word.expected(expected),
        None => words.end().expected_end(expected),
    }
}

/// `NAME GPUS pool=POOL|parent=QUOTA [OPTION...]`, after the word `quota`.
pub(crate) fn quota(words: &mut Words<'_>) -> Result<QuotaText, Unexpected> {
    let name = words.need("the name of a quota")?.owned();
    let mut amount = amount(words)?;
    let mut source = None;
    let mut policy = PolicyText::default();
    let mut options = Options::default();
    while let Some(option) = options.next(words)? {
        let from = match option.key {
            "pool" => SourceText::Pool(option.value()?.owned()),
            "parent" => SourceText::Parent(option.value()?.owned()),
            _ if dimension(&mut amount, option)? || policy_option(&mut policy, option)? => continue,
            _ => {
                let known = format!("pool=, parent=, cpu=, memory= or {POLICY_OPTIONS}");
                return Err(option.word.expected(known));
            }
        };
        if source.replace(from).is_some() {
            return Err(option.word.expected("either pool= or parent="));
        }
    }
    let source = source.ok_or_else(|| words.end().expected_end("pool=POOL or parent=QUOTA"))?;
    Ok(QuotaText { name, amount, source, policy })
}

pub(crate) fn amount(words: &mut Words<'_>) -> Result<AmountText, Unexpected> {
    let word = words.need("GPUs, such as 48 or H100:48,A100:16")?;
    Ok(AmountText { gpus: gpus(word)?, place: word.place, cpu: None, memory: None })
}

/// Reads `cpu=` and `memory=`; says whether it was one of them.
fn dimension(amount: &mut AmountText, option: Written<'_>) -> Result<bool, Unexpected> {
    match option.key {
        "cpu" => amount.cpu = Some(milli(option.value()?, "cores", MAX_AMOUNT)?),
        "memory" => amount.memory = Some(size(option.value()?)? as i64),
        _ => return Ok(false),
    }
    Ok(true)
}

/// `[MODE] [cpu=N] [memory=SIZE]` at the end of `scale` and `transfer`.
pub(crate) fn mode(words: &mut Words<'_>, amount: &mut AmountText) -> Result<Mode, Unexpected> {
    let mut mode = None;
    let mut options = Options::default();
    while let Some(option) = options.next(words)? {
        if option.is_bare() && mode.is_none() {
            mode = Some(Mode::parse(option.key).ok_or_else(|| option.word.expected(MODES))?);
        } else if !dimension(amount, option)? {
            return Err(option.word.expected("cpu=, memory= or the end of the line"));
        }
    }
    Ok(mode.unwrap_or(Mode::Refuse))
}

/// The options of `set`: at least one.
pub(crate) fn policy(words: &mut Words<'_>) -> Result<PolicyText, Unexpected> {
    if words.peek().is_none() {
        return Err(words.end().expected_end(POLICY_OPTIONS));
    }
    let mut policy = PolicyText::default();
    let mut options = Options::default();
    while let Some(option) = options.next(words)? {
        if !policy_option(&mut policy, option)? {
            return Err(option.word.expected(POLICY_OPTIONS));
        }
    }
    Ok(policy)
}

/// Reads an option of a quota's policy; says whether it was one.
fn policy_option(policy: &mut PolicyText, option: Written<'_>) -> Result<bool, Unexpected> {
    match option.key {
        "child" => policy.child_level = Some(or_off(option.value()?, child_level)?),
        "self" => policy.self_level = Some(or_off(option.value()?, self_level)?),
        "queue" => policy.strategy = Some(option.word_of(Strategy::parse, STRATEGIES)?),
        "idle-sharing" => policy.idle_sharing = Some(option.word_of(on_off, "on or off")?),
        "protect-for" => policy.protect_for = Some(duration(option.value()?)?),
        "patience" => policy.patience = Some(duration(option.value()?)?),
        "aging-step" => policy.aging_step = Some(duration(option.value()?)?),
        "starvation-guard" => policy.starvation_guard = Some(duration(option.value()?)?),
        _ => return Ok(false),
    }
    Ok(true)
}

fn or_off<'a, T>(
    value: Piece<'a>,
    parse: fn(Piece<'a>) -> Result<T, Unexpected>,
) -> Result<Placed<Option<T>>, Unexpected> {
    let read = if value.text == "off" { None } else { Some(parse(value)?) };
    Ok(Placed { value: read, place: value.place })
}
