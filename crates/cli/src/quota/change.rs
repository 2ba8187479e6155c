//! Changes of quotas: read, then changed only if nobody changed it meanwhile.

use super::PATH;
use super::flags::{Amount, Policies};
use super::show::text;
use crate::client::{Ask, Changed, Client};
use crate::exit::{Failure, Outcome};
use crate::output::change::ChangeOptions;
use crate::output::event_line::timed;
use crate::output::figures::{guarantee, in_gpus};
use clap::Args;
use tidegate_api::Code;
use tidegate_api::name::Name;
use tidegate_api::quota::{NewQuota, Quota, QuotaHistory, QuotaSpec, ScaleRequest, TransferRequest};
use tidegate_api::resource::{NewMetadata, differences};
use tidegate_api::words::Mode;
use ureq::http::Method;

pub(crate) const SCALE_EXAMPLES: &str = "Examples:
  tidegate quota scale Quota1.1 56
  tidegate quota scale Quota1.1 40 --mode evict --dry-run     who would have to leave";
pub(crate) const TRANSFER_EXAMPLES: &str = "Examples:
  tidegate quota transfer 8 Quota1.2 Quota1.1
  tidegate quota transfer 8 Quota1.2 Quota1.1 --mode drain";
pub(crate) const DELETE_EXAMPLES: &str = "Examples:
  tidegate quota delete Quota1.1";

/// Changes listed when somebody else was faster.
const MAX_NEWS: usize = 5;

#[derive(Args, Debug)]
pub(crate) struct Create {
    /// Its name
    name: Name,
    #[command(flatten)]
    amount: Amount,
    /// The pool that a root draws on
    #[arg(long, required_unless_present = "parent", conflicts_with = "parent")]
    pool: Option<Name>,
    /// The quota that a child is carved out of
    #[arg(long)]
    parent: Option<Name>,
    #[command(flatten)]
    policies: Policies,
    #[command(flatten)]
    options: ChangeOptions,
}

impl Create {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        let mut spec = QuotaSpec {
            pool: self.pool,
            parent: self.parent,
            guarantee: self.amount.guarantee(),
            queue: None,
            idle_sharing: None,
            protect_for: None,
            preemption: None,
            shared: None,
            dedicated: None,
        };
        self.policies.onto(&mut spec);
        let new = NewQuota::new(NewMetadata::named(self.name), spec);
        let changed: Changed<Quota> = client.change(Ask::post(PATH, &new)?, self.options.dry_run)?;
        let sentence = |q: &Quota| {
            format!("{} created with {}", q.metadata.name, in_gpus(&guarantee(&q.spec.guarantee)))
        };
        self.options.print(&changed, sentence, |quota, _| text(quota))
    }
}

/// Which version is changed.
#[derive(Args, Debug)]
pub(crate) struct Expected {
    /// Change it only if this is still its version; the present one if absent
    #[arg(long, value_name = "VERSION")]
    if_version: Option<String>,
}

impl Expected {
    /// Reads the quota, makes the change with its version, and says what changed if somebody was faster.
    fn change(
        &self,
        client: &Client,
        name: &Name,
        options: ChangeOptions,
        ask: impl FnOnce(&Quota) -> Outcome<Ask<'static>>,
    ) -> Outcome<Changed<Quota>> {
        let before: Quota = client.get(format!("{PATH}/{name}"))?;
        let version = self.if_version.as_deref().unwrap_or(&before.metadata.version);
        let ask = Ask { if_match: Some(version), ..ask(&before)? };
        let outcome = client.change(ask, options.dry_run);
        outcome.map_err(|failure| match failure.problem {
            Some(Code::StaleVersion) => news(client, &before, version, failure),
            _ => failure,
        })
    }
}

/// What happened to a quota since the version that was to be changed.
fn news(client: &Client, before: &Quota, version: &str, mut failure: Failure) -> Failure {
    let name = &before.metadata.name;
    let Ok(now) = client.get::<Quota>(format!("{PATH}/{name}")) else { return failure };
    for pointer in differences(&before.spec, &now.spec) {
        failure = failure.figure(format!("changed since it was read: spec{pointer}"));
    }
    let known: u64 = version.parse().unwrap_or(0);
    let query = Vec::new();
    let changes = client.list::<QuotaHistory>(&format!("{PATH}/{name}/history"), &query, MAX_NEWS);
    for change in changes.unwrap_or_default().iter().filter(|change| change.number > known) {
        failure = failure.figure(format!("by {}: {}", change.by, timed(&change.event)));
    }
    failure.hint(format!("look at it with `tidegate quota show {name}`, then repeat the change"))
}

#[derive(Args, Debug)]
pub(crate) struct Scale {
    /// The quota
    name: Name,
    #[command(flatten)]
    amount: Amount,
    /// What happens to work in the way: refuse (the default), drain or evict
    #[arg(long)]
    mode: Option<Mode>,
    #[command(flatten)]
    expected: Expected,
    #[command(flatten)]
    options: ChangeOptions,
}

impl Scale {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        let body = ScaleRequest { guarantee: self.amount.guarantee(), mode: self.mode };
        let path = format!("{PATH}/{}:scale", self.name);
        let mut was = String::new();
        let changed = self.expected.change(client, &self.name, self.options, |before| {
            was = guarantee(&before.spec.guarantee);
            Ask::post(path, &body)
        })?;
        let sentence = |q: &Quota| {
            format!("{} scaled {was} -> {}{}", q.metadata.name, guarantee(&q.spec.guarantee), draining(q))
        };
        self.options.print(&changed, sentence, |quota, _| text(quota))
    }
}

/// An overdraft is still there.
fn draining(quota: &Quota) -> &'static str {
    match quota.status.state {
        tidegate_api::quota::QuotaState::Ready => "",
        tidegate_api::quota::QuotaState::Scaling => " (overdrawn until what is in the way is gone)",
    }
}

#[derive(Args, Debug)]
pub(crate) struct Transfer {
    #[command(flatten)]
    amount: Amount,
    /// The quota that gives
    from: Name,
    /// The quota that gets it, with the same parent
    to: Name,
    /// What happens to work in the way: refuse (the default), drain or evict
    #[arg(long)]
    mode: Option<Mode>,
    #[command(flatten)]
    expected: Expected,
    #[command(flatten)]
    options: ChangeOptions,
}

impl Transfer {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        let body = TransferRequest { to: self.to.clone(), amount: self.amount.guarantee(), mode: self.mode };
        let path = format!("{PATH}/{}:transfer", self.from);
        let changed = self.expected.change(client, &self.from, self.options, |_| Ask::post(path, &body))?;
        let moved = guarantee(&self.amount.guarantee());
        let sentence = |q: &Quota| {
            let (from, left) = (&q.metadata.name, guarantee(&q.spec.guarantee));
            format!("{} moved from {from} to {}: {from} has {left}{}", in_gpus(&moved), self.to, draining(q))
        };
        self.options.print(&changed, sentence, |quota, _| text(quota))
    }
}

#[derive(Args, Debug)]
pub(crate) struct Set {
    /// The quota
    name: Name,
    #[command(flatten)]
    policies: Policies,
    #[command(flatten)]
    expected: Expected,
    #[command(flatten)]
    options: ChangeOptions,
}

impl Set {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        if self.policies.is_empty() {
            return Err(Failure::usage("nothing is to be set").hint("see `tidegate quota set --help`"));
        }
        let changed = self.expected.change(client, &self.name, self.options, |before| {
            let mut spec = before.spec.clone();
            self.policies.onto(&mut spec);
            let metadata = NewMetadata {
                labels: before.metadata.labels.clone(),
                ..NewMetadata::named(before.metadata.name.clone())
            };
            let path = format!("{PATH}/{}", self.name);
            Ask::change(Method::PUT, path).json(&NewQuota::new(metadata, spec))
        })?;
        self.options.print(&changed, |q| format!("{} set", q.metadata.name), |quota, _| text(quota))
    }
}

#[derive(Args, Debug)]
pub(crate) struct Delete {
    /// The quota
    name: Name,
    #[command(flatten)]
    expected: Expected,
    #[command(flatten)]
    options: ChangeOptions,
}

impl Delete {
    pub(crate) fn run(self, client: &Client) -> Outcome {
        let path = format!("{PATH}/{}", self.name);
        let ask = |_: &Quota| Ok(Ask::change(Method::DELETE, path));
        let changed = self.expected.change(client, &self.name, self.options, ask)?;
        self.options.print(&changed, |q| format!("{} deleted", q.metadata.name), |quota, _| text(quota))
    }
}
