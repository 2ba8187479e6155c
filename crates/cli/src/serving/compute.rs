//! Scene 4: the same task on shared and on dedicated compute, and what each costs.

use super::scenes::{QUOTAS, Stage, WORKLOADS};
use crate::billing::bill;
use crate::client::{Ask, Changed, Client};
use crate::clock;
use crate::exit::{Outcome, print};
use serde_json::{Value, json};
use tidegate_api::bill::Bill;
use tidegate_api::dedicated::{ResourceConfig, ResourceRequest};
use tidegate_api::task::Task;
use tidegate_api::time::Time;
use tidegate_api::workload::WorkloadState;
use tidegate_engine::ids::{Span, Tick};
use ureq::http::Method;

const REQUESTS: &str = "/api/v1/resource-requests";
const CONFIGS: &str = "/api/v1/resource-configs";

impl Stage<'_> {
    pub(super) fn one_task_on_two_kinds_of_compute(&mut self) -> Outcome {
        self.heading("Scene 4: the same task on shared and on dedicated compute, with both bills")?;
        self.say("Team C gives 8 GPUs back: 4 run tasks of everybody, 4 can be reserved.")?;
        for name in ["c-eval", "c-note1", "c-note2"] {
            self.change(Ask::change(Method::POST, format!("{WORKLOADS}/{name}:stop")))?;
            self.wait(name, WorkloadState::Stopped)?;
        }
        let version = self.version("Quota1.2")?;
        let scale = Ask::post(format!("{QUOTAS}/Quota1.2:scale"), &json!({"guarantee": {"gpu": 64}}))?;
        self.change(Ask { if_match: Some(&version), ..scale })?;
        let (parent, guarantee) = ("Quota1", json!({"gpu": 4}));
        let shared =
            json!({"parent": parent, "guarantee": guarantee, "shared": true, "queue": {"strategy": "fair"}});
        let reserve = json!({"parent": parent, "guarantee": guarantee, "dedicated": true});
        for (name, spec) in [("tasks", shared), ("reserve", reserve)] {
            self.change(Ask::post(QUOTAS, &json!({"metadata": {"name": name}, "spec": spec}))?)?;
        }
        self.say(
            "A GPU costs 1.00 EUR for a second of a shared task, 0.50 for a second that it is reserved.",
        )?;
        let price = |hour: &str| json!({"gpu": {"virtual": hour}});
        let prices = json!({"shared": price("3600"), "reserved": price("1800"), "byUsage": price("2700"), "quota": price("0")});
        // What ran before this scene has its price, too.
        let since = Time::of(Tick(clock::now_ms().saturating_sub(Span::hours(24).0)));
        let book = json!({"metadata": {"name": "default"},
            "spec": {"currency": "EUR", "validFrom": since, "prices": prices}});
        self.change(Ask::post("/api/v1/prices", &book)?)?;
        let template = json!({"metadata": {"name": "render"},
            "spec": {"description": "a picture of the tide", "resources": {"gpu": 2}}});
        self.change(Ask::post("/api/v1/templates", &template)?)?;

        let berta = self.act_as("berta")?;
        self.heading("Berta runs it on shared compute, then asks for two GPUs of her own")?;
        self.run_task(&berta, "b-shared", None)?;
        let end = Time::of(Tick(clock::now_ms()).after(Span::hours(1)));
        let wish = json!({"reserved": {"size": {"gpu": 2}, "end": end}, "reason": "a demonstration"});
        let Changed::Made(request) = berta.change::<ResourceRequest>(Ask::post(REQUESTS, &wish)?, false)?
        else {
            return Ok(());
        };
        self.say(&format!("   {}: 2 GPUs until {end}; an administrator approves it", request.id))?;
        let approve = Ask::post(format!("{REQUESTS}/{}:approve", request.id), &json!({}))?;
        self.change(approve)?;
        let approved: ResourceRequest = berta.get(format!("{REQUESTS}/{}", request.id))?;
        let config = approved.config.unwrap_or_default();
        self.run_task(&berta, "b-dedicated", Some(&config))?;
        let released: ResourceConfig = {
            self.change(Ask::post(format!("{CONFIGS}/{config}:release"), &json!({}))?)?;
            self.client.get(format!("{CONFIGS}/{config}"))?
        };
        self.say(&format!("   {config} is released ({})", released.state.word()))?;

        self.heading("Shared: from the task's start to its end. Reserved: all of its time, used or not")?;
        let query = vec![("workspace", "workspace-b".to_string())];
        let bill: Bill = self.client.get_with("/api/v1/bills", query)?;
        let due: Vec<_> = bill.lines.iter().filter(|line| line.mode != "quota").cloned().collect();
        print(&bill::text(&Bill { lines: due, ..bill }, false))
    }

    /// Runs the task to its end.
    fn run_task(&self, who: &Client, name: &str, config: Option<&str>) -> Outcome {
        let new = json!({"name": name, "template": "render", "virtual": {"duration": "200ms"}});
        who.change::<Value>(Ask { resource_config: config, ..Ask::post("/api/v1/tasks", &new)? }, false)?;
        let query = vec![("wait", "20s".to_string())];
        let task: Task = who.get_with(format!("/api/v1/tasks/{name}"), query)?;
        let on = task.resource_config.as_deref().unwrap_or("default");
        self.say(&format!("   {name} {} on {on}", task.state.word()))
    }
}
