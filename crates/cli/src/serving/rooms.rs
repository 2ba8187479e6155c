//! Scene 3 of the worked example: each team in a room of its own.

use super::scenes::{QUOTAS, Stage, WORKLOADS, workload};
use crate::client::find::Found;
use crate::client::{Ask, Changed, Client};
use crate::exit::{Outcome, print, print_line};
use crate::quota::tree::draw;
use crate::workload::show::{Columns, table};
use serde_json::{Value, json};
use tidegate_api::people::Token;
use tidegate_api::quota::QuotaForest;
use tidegate_api::workload::{WorkloadList, WorkloadState};
use ureq::http::Method;

const WORKSPACES: &str = "/api/v1/workspaces";

/// Team, workspace, quota, member.
const ROOMS: [(&str, &str, &str, &str); 3] = [
    ("Team A", "workspace-a", "Quota1", "anna"),
    ("Team B", "workspace-b", "Quota1.1", "berta"),
    ("Team C", "workspace-c", "Quota1.2", "carol"),
];

impl Stage<'_> {
    pub(super) fn each_team_in_its_own_room(&mut self) -> Outcome {
        self.heading("Scene 3: each team gets a workspace. Anna works in team A, Berta in B, Carol in C")?;
        for (team, room, quota, user) in ROOMS {
            let spec = json!({"description": team, "quotas": [quota]});
            self.change(Ask::post(WORKSPACES, &json!({"metadata": {"name": room}, "spec": spec}))?)?;
            self.change(Ask::post("/api/v1/users", &json!({"metadata": {"name": user}, "spec": {}}))?)?;
            let member = Ask::change(Method::PUT, format!("{WORKSPACES}/{room}/members/{user}"));
            self.change(member.json(&json!({"role": "developer"}))?)?;
            self.say(&format!("   {room} may use {quota}; {user} is a developer there"))?;
        }
        let (berta, carol) = (self.act_as("berta")?, self.act_as("carol")?);
        // Neither names a workspace or a quota: each is in one room, and each room has one quota.
        let eval = |name: &str| {
            let mut new = workload(name, "", "training", 1, 1, 8);
            new["spec"].as_object_mut().map(|spec| spec.remove("quota"));
            new
        };
        carol.change::<Value>(Ask::post(WORKLOADS, &eval("c-eval"))?, false)?;
        berta.change::<Value>(Ask::post(WORKLOADS, &eval("b-eval"))?, false)?;
        self.wait("b-eval", WorkloadState::Running)?;
        self.narrate(|event| super::scenes::is(event, "b-eval", "started"))?;
        self.heading("All that Berta sees")?;
        let forest: QuotaForest = berta.get(format!("{QUOTAS}:tree"))?;
        let seen = berta.all::<WorkloadList>(WORKLOADS, &Vec::new())?;
        print(&format!("{}\n{}", draw(&forest), table(&seen, Columns::Few).text()))?;
        self.heading("Team C is not there for her, and Quota1.1 is all that she can submit to")?;
        let elsewhere = |quota: &str| Ask::post(WORKLOADS, &workload("b-more", quota, "training", 1, 1, 8));
        for (what, ask) in [
            ("looks at c-eval", Ask::get(format!("{WORKLOADS}/c-eval"), Vec::new())),
            ("stops c-eval", Ask::change(Method::POST, format!("{WORKLOADS}/c-eval:stop"))),
            ("looks into workspace-c", Ask::get(format!("{WORKSPACES}/workspace-c"), Vec::new())),
            ("submits to Quota1.2", elsewhere("Quota1.2")?),
            ("submits to Quota1", elsewhere("Quota1")?),
        ] {
            let became = berta.send(&ask).map_or_else(|refused| refused.to_string(), |_| "done".into());
            print_line(format!("   Berta {what}: {became}"))?;
        }
        print_line("")
    }

    /// A client with a token of somebody else's.
    pub(super) fn act_as(&self, user: &str) -> Outcome<Client> {
        let ask = Ask::post("/api/v1/tokens", &json!({"name": "demo", "user": user}))?;
        let token = match self.client.change::<Token>(ask, false)? {
            Changed::Made(token) => token.secret.unwrap_or_default(),
            Changed::Would(_) => String::new(),
        };
        Client::new(Found { token, ..self.client.found().clone() })
    }
}
