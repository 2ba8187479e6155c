//! The scenes of the worked example, played through the API as anybody could.

use crate::client::events::{News, Watch};
use crate::client::{Ask, Changed, Client};
use crate::clock;
use crate::exit::{Exit, Failure, Outcome, print, print_line};
use crate::output::event_line::line;
use crate::output::style::Style;
use crate::quota::tree::draw;
use crate::workload::explain;
use serde_json::{Value, json};
use std::time::Duration;
use tidegate_api::event::Event;
use tidegate_api::explain::Explanation;
use tidegate_api::quota::{Quota, QuotaForest};
use tidegate_api::workload::{Workload, WorkloadState};
use ureq::http::Method;

pub(super) const WORKLOADS: &str = "/api/v1/workloads";
pub(super) const QUOTAS: &str = "/api/v1/quotas";

/// Longest wait for something that the engine decides at once.
const PATIENCE: Duration = Duration::from_secs(20);
const LOOK: Duration = Duration::from_millis(20);

/// Work of two teams: name, quota, module, priority, replicas, GPUs of each.
const TEAMS: [(&str, &str, &str, u8, u32, u32); 7] = [
    ("b-train", "Quota1.1", "training", 3, 5, 8),
    ("b-note", "Quota1.1", "notebook", 1, 1, 8),
    ("c-train", "Quota1.2", "training", 2, 6, 8),
    ("c-tune", "Quota1.2", "training", 1, 2, 8),
    ("c-note1", "Quota1.2", "notebook", 1, 1, 4),
    ("c-note2", "Quota1.2", "notebook", 2, 1, 4),
    ("c-serve", "Quota1.2", "service", 1, 1, 8),
];

pub(crate) struct Stage<'a> {
    pub(super) client: &'a Client,
    watch: Watch<'a>,
    pause: Duration,
}

pub(super) fn workload(
    name: &str,
    quota: &str,
    module: &str,
    priority: u8,
    replicas: u32,
    gpus: u32,
) -> Value {
    json!({
        "metadata": {"name": name},
        "spec": {
            "quota": quota, "module": module, "priority": priority, "replicas": replicas,
            "resources": {"gpu": gpus}, "gracePeriod": "0s", "virtual": {}
        }
    })
}

impl<'a> Stage<'a> {
    pub(crate) fn new(client: &'a Client, pause: Duration) -> Outcome<Stage<'a>> {
        let watch = client.watch(vec![("kinds", "workload,quota,node".into())])?;
        Ok(Stage { client, watch, pause })
    }

    pub(crate) fn play(mut self) -> Outcome {
        self.set_the_scene()?;
        self.the_service_takes_what_it_may()?;
        self.the_victims_come_back()?;
        self.eight_gpus_change_hands()?;
        self.each_team_in_its_own_room()?;
        self.one_task_on_two_kinds_of_compute()
    }

    pub(super) fn heading(&self, text: &str) -> Outcome {
        clock::pause(self.pause);
        print_line(format!("\n{}", Style::Bold.paint(&format!("== {text}"))))
    }

    pub(super) fn say(&self, text: &str) -> Outcome {
        print_line(text)
    }

    pub(super) fn change(&self, ask: Ask<'_>) -> Outcome<Value> {
        match self.client.change(ask, false)? {
            Changed::Made(made) => Ok(made),
            Changed::Would(_) => Ok(Value::Null),
        }
    }

    fn tree(&self) -> Outcome {
        let forest: QuotaForest = self.client.get(format!("{QUOTAS}:tree"))?;
        print(&format!("\n{}", draw(&forest)))
    }

    /// Waits until a workload is in a state.
    pub(super) fn wait(&self, name: &str, state: WorkloadState) -> Outcome {
        let begun = clock::instant();
        loop {
            let workload: Workload = self.client.get(format!("{WORKLOADS}/{name}"))?;
            if workload.status.state == state {
                return Ok(());
            }
            if clock::instant().duration_since(begun) > PATIENCE {
                let why = crate::workload::show::why(&workload, true);
                return Err(
                    Failure::new(Exit::TimedOut, format!("{name} did not get where it should")).figure(why)
                );
            }
            clock::pause(LOOK);
        }
    }

    /// Prints what happened, up to an event that is known to have happened.
    pub(super) fn narrate(&mut self, is_last: impl Fn(&Event) -> bool) -> Outcome {
        loop {
            let News::Event(event) = self.watch.next()? else { continue };
            print_line(format!("   {}", line(&event)))?;
            if is_last(&event) {
                return Ok(());
            }
        }
    }

    /// A version is read and sent back, so that nobody's change is overwritten.
    pub(super) fn version(&self, quota: &str) -> Outcome<String> {
        self.client.get::<Quota>(format!("{QUOTAS}/{quota}")).map(|quota| quota.metadata.version)
    }

    fn set_the_scene(&mut self) -> Outcome {
        self.heading("128 GPUs on 16 nodes, shared by three teams")?;
        self.say("Quota1 may draw on its children and evict training and notebooks there (child-level).")?;
        // The first start has made a root over everything; the worked example has its own.
        let version = self.version("main")?;
        let mut delete = Ask::change(Method::DELETE, format!("{QUOTAS}/main"));
        delete.if_match = Some(&version);
        self.change(delete)?;
        let victims = json!({"priorities": "1-9", "modules": ["training", "notebook"]});
        let root = json!({"pool": "local", "guarantee": {"gpu": 128}, "preemption": {"childLevel": {"victims": victims}}});
        let child = |gpus: u32| json!({"parent": "Quota1", "guarantee": {"gpu": gpus}});
        for (name, spec) in [("Quota1", root), ("Quota1.1", child(48)), ("Quota1.2", child(80))] {
            self.change(Ask::post(QUOTAS, &json!({"metadata": {"name": name}, "spec": spec}))?)?;
        }
        self.narrate(|event| event.quota.as_deref() == Some("Quota1.2") && event.event == "created")?;
        self.heading("Team B fills Quota1.1 (48), team C fills Quota1.2 (80)")?;
        let items: Vec<Value> =
            TEAMS.iter().map(|(n, q, m, p, r, g)| workload(n, q, m, *p, *r, *g)).collect();
        self.change(Ask::post(format!("{WORKLOADS}:batch"), &json!({"items": items}))?)?;
        self.wait("c-serve", WorkloadState::Running)?;
        self.narrate(|event| is(event, "c-serve", "started"))?;
        self.tree()
    }

    fn the_service_takes_what_it_may(&mut self) -> Outcome {
        self.heading(
            "Scene 1: team A needs a service of 4 x 8 GPUs in Quota1. First a dry run: who would go?",
        )?;
        let service = workload("a-serve", "Quota1", "service", 5, 4, 8);
        let would: Changed<Value> = self.client.change(Ask::post(WORKLOADS, &service)?, true)?;
        if let Changed::Would(would) = would {
            would.would.iter().try_for_each(|event| print_line(format!("   would: {}", line(event))))?;
        }
        self.heading("Nothing is idle, so the cheapest 32 GPUs of training and notebooks leave")?;
        self.change(Ask::post(WORKLOADS, &service)?)?;
        self.wait("a-serve", WorkloadState::Running)?;
        self.narrate(|event| is(event, "a-serve", "started"))?;
        self.tree()?;
        self.heading("The victims wait in their own queues. Why does c-tune wait?")?;
        let explanation: Explanation = self.client.get(format!("{WORKLOADS}/c-tune:explain"))?;
        print(&explain::text(&explanation))
    }

    fn the_victims_come_back(&mut self) -> Outcome {
        self.heading("The service ends; its victims start again by themselves")?;
        self.change(Ask::change(Method::POST, format!("{WORKLOADS}/a-serve:stop")))?;
        let victims = ["c-tune", "b-note", "c-note1", "c-note2"];
        for name in victims {
            self.wait(name, WorkloadState::Running)?;
        }
        let mut back = 0;
        while back < victims.len() {
            self.narrate(|event| event.event == "started")?;
            back += 1;
        }
        self.tree()
    }

    fn eight_gpus_change_hands(&mut self) -> Outcome {
        self.heading("Scene 2: 8 GPUs move from Quota1.2 to Quota1.1, at once or not at all")?;
        self.say("All 80 of Quota1.2 are in use, so a plain transfer is refused:")?;
        let transfer = |stage: &Stage<'_>| {
            let version = stage.version("Quota1.2")?;
            let mut ask = Ask::post(
                format!("{QUOTAS}/Quota1.2:transfer"),
                &json!({"to": "Quota1.1", "amount": {"gpu": 8}, "mode": "refuse"}),
            )?;
            ask.if_match = Some(&version);
            stage.change(ask)
        };
        if let Err(refused) = transfer(self) {
            print_line(format!("   refused: {refused}"))?;
        }
        self.heading("Team C stops its service, then the transfer goes through")?;
        self.change(Ask::change(Method::POST, format!("{WORKLOADS}/c-serve:stop")))?;
        self.wait("c-serve", WorkloadState::Stopped)?;
        transfer(self)?;
        self.narrate(|event| event.quota.as_deref() == Some("Quota1.1") && event.event == "scaled")?;
        self.tree()
    }
}

pub(super) fn is(event: &Event, name: &str, word: &str) -> bool {
    event.workload.as_deref() == Some(name) && event.event == word
}
