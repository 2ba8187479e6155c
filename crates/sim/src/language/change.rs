//! What may follow `at TIME`.

use super::declaration::{amount, mode, policy, quota};
use super::figures::{count, duration, milli, replicas, size};
use super::options::{Options, Written};
use super::piece::{Piece, Unexpected, Words};
use super::sets::{marked_priority, module};
use super::tree::{Change, Name, NodeAction, Statement, SubmitText};
use super::{CHANGES, SUBMIT_OPTIONS};
use crate::runner::Work;
use tidegate_engine::ids::Span;
use tidegate_engine::words::{IdleUse, OnPreempt};

pub(crate) fn statement(words: &mut Words<'_>) -> Result<Statement, Unexpected> {
    let expected = format!("{CHANGES}, preview, explain or show");
    let word = words.need(&expected)?;
    let statement = match word.text {
        "preview" => {
            let word = words.need(CHANGES)?;
            Statement::Preview(change(word, words)?.ok_or_else(|| word.expected(CHANGES))?)
        }
        "explain" => Statement::Explain(workload(words)?),
        "show" => Statement::Show,
        _ => Statement::Change(change(word, words)?.ok_or_else(|| word.expected(expected))?),
    };
    words.finish()?;
    Ok(statement)
}

/// The change that `word` begins; `None` if it begins none.
fn change<'a>(word: Piece<'a>, words: &mut Words<'a>) -> Result<Option<Change>, Unexpected> {
    Ok(Some(match word.text {
        "submit" => Change::Submit(Box::new(submit(words)?)),
        "finish" => Change::Finish(workload(words)?),
        "stop" => Change::Stop(workload(words)?),
        "fail" => Change::Fail(workload(words)?),
        "checkpoint" => Change::Checkpoint(workload(words)?),
        "priority" => {
            Change::Priority(workload(words)?, marked_priority(words.need("a priority, p1 to p9")?)?)
        }
        "resize" => {
            let name = workload(words)?;
            let number = count(words.need("the number of replicas")?, "replicas", u64::from(u32::MAX))?;
            Change::Resize(name, number as u32)
        }
        "transfer" => {
            let mut moved = amount(words)?;
            let from = words.need("the quota that gives")?.owned();
            let to = words.need("the quota that receives")?.owned();
            let mode = mode(words, &mut moved)?;
            Change::Transfer { amount: moved, from, to, mode }
        }
        "scale" => {
            let quota = quota_name(words)?;
            let mut target = amount(words)?;
            let mode = mode(words, &mut target)?;
            Change::Scale { quota, amount: target, mode }
        }
        "quota" => Change::Quota(Box::new(quota(words)?)),
        "delete" => Change::Delete(quota_name(words)?),
        "set" => Change::Set { quota: quota_name(words)?, policy: Box::new(policy(words)?) },
        "node" => {
            let name = words.need("the name of a node")?.owned();
            Change::Node(name, node_action(words.need("lost, ready, cordoned or drain")?)?)
        }
        _ => return Ok(None),
    }))
}

fn workload(words: &mut Words<'_>) -> Result<Name, Unexpected> {
    Ok(words.need("the name of a workload")?.owned())
}

fn quota_name(words: &mut Words<'_>) -> Result<Name, Unexpected> {
    Ok(words.need("the name of a quota")?.owned())
}

fn node_action(word: Piece<'_>) -> Result<NodeAction, Unexpected> {
    match word.text {
        "lost" => Ok(NodeAction::Lost),
        "ready" => Ok(NodeAction::Ready),
        "cordoned" => Ok(NodeAction::Cordoned),
        "drain" => Ok(NodeAction::Drain),
        _ => Err(word.expected("lost, ready, cordoned or drain")),
    }
}

/// `NAME QUOTA MODULE pPRIORITY REPLICASxGPUS [for DUR] [OPTION...]`.
/// `roles=` states the whole gang; the size may then be left out, and does not count.
fn submit(words: &mut Words<'_>) -> Result<SubmitText, Unexpected> {
    let mut submit = SubmitText {
        name: workload(words)?,
        quota: quota_name(words)?,
        module: module(words.need("a module (training, notebook, service, task)")?)?,
        priority: marked_priority(words.need("a priority, p1 to p9")?)?,
        roles: Vec::new(),
        min: None,
        models: Vec::new(),
        nodes: Vec::new(),
        workspace: None,
        idle: IdleUse::Never,
        on_preempt: OnPreempt::Requeue,
        restarts: 0,
        max_run: None,
        cpu: None,
        memory: None,
        grace: Span::ZERO,
        suspend: false,
        work: Work::default(),
    };
    const SIZE: &str = "REPLICASxGPUS, such as 4x8";
    if !words.peek().is_some_and(|word| word.text.starts_with("roles=")) {
        submit.roles.push(replicas(words.need(SIZE)?)?);
    }
    let mut options = Options::default();
    while let Some(option) = options.next(words)? {
        if option.key == "for" && option.is_bare() {
            submit.work.duration = Some(duration(words.need("a duration such as 90s or 1h30m")?)?);
        } else if option.key == "hang" && option.is_bare() {
            submit.work.hang = true;
        } else {
            submit_option(&mut submit, option)?;
        }
    }
    Ok(submit)
}

fn submit_option(submit: &mut SubmitText, option: Written<'_>) -> Result<(), Unexpected> {
    const MANY: u64 = u32::MAX as u64;
    match option.key {
        "min" => submit.min = Some(count(option.value()?, "replicas", MANY)? as u32),
        "idle" => submit.idle = option.word_of(IdleUse::parse, "never, accept or only")?,
        "grace" => submit.grace = duration(option.value()?)?,
        "checkpoint" if option.value()?.text == "suspend" => submit.suspend = true,
        "checkpoint" => {
            let every = option.value()?;
            let span = duration(every).map_err(|_| every.expected("a duration such as 1h, or suspend"))?;
            if span == Span::ZERO {
                return Err(every.expected("a duration above zero"));
            }
            submit.work.checkpoint = Some(span);
        }
        "model" => submit.models = names(option.value()?, "GPU models, such as H100,A100")?,
        "nodes" => submit.nodes = names(option.value()?, "nodes, such as h100-0,h100-3")?,
        "roles" => {
            submit.roles = option.value()?.split('+').map(replicas).collect::<Result<_, _>>()?;
        }
        "workspace" => submit.workspace = Some(option.value()?.text.into()),
        "restarts" => submit.restarts = count(option.value()?, "restarts", MANY)? as u32,
        "on-preempt" => submit.on_preempt = option.word_of(OnPreempt::parse, "requeue or stop")?,
        "max-run" => submit.max_run = Some(duration(option.value()?)?),
        "cpu" => submit.cpu = Some(milli(option.value()?, "cores", MANY as i64)? as u32),
        "memory" => submit.memory = Some(size(option.value()?)?),
        _ => return Err(option.word.expected(SUBMIT_OPTIONS)),
    }
    Ok(())
}

/// Names with commas between them.
fn names(value: Piece<'_>, expected: &str) -> Result<Vec<Name>, Unexpected> {
    let one =
        |part: Piece<'_>| if part.text.is_empty() { Err(part.expected(expected)) } else { Ok(part.owned()) };
    value.split(',').map(one).collect()
}
