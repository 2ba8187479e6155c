//! Workspaces, members, users, roles, service accounts and tokens by the command line.

mod common;

use common::{Ran, Server};

/// Two teams with a quota each, and a developer in each.
struct House {
    server: Server,
    berta: String,
    carol: String,
}

impl House {
    fn new() -> House {
        let server = Server::start();
        for (room, quota, user) in [("room-b", "b", "berta"), ("room-c", "c", "carol")] {
            server.run(&["quota", "create", quota, "8", "--parent", "main"]).ok();
            server.run(&["workspace", "create", room, "--quota", quota]).ok();
            server.run(&["user", "create", user]).ok();
            server.run(&["workspace", "member", "add", room, user]).ok();
        }
        let token = |user: &str| server.run(&["token", "create", "--user", user]).ok().trim().to_string();
        let (berta, carol) = (token("berta"), token("carol"));
        House { server, berta, carol }
    }

    fn admin(&self, arguments: &[&str]) -> Ran {
        self.server.run(arguments)
    }

    fn berta(&self, arguments: &[&str]) -> Ran {
        self.by(&self.berta, arguments)
    }

    fn carol(&self, arguments: &[&str]) -> Ran {
        self.by(&self.carol, arguments)
    }

    fn by(&self, token: &str, arguments: &[&str]) -> Ran {
        self.server.run(&[arguments, &["--token", token]].concat())
    }
}

#[test]
fn workspaces_are_created_listed_shown_set_and_deleted() {
    let server = Server::start();
    server.run(&["quota", "create", "b", "8", "--parent", "main"]).ok();
    let dry = server.run(&["workspace", "create", "room", "--quota", "b", "--dry-run"]);
    assert_eq!((dry.code, dry.out.as_str()), (0, "then: room created with b\n"), "{dry:?}");
    server.run(&["workspace", "show", "room"]).fails(3, "there is no workspace room");
    let said = server.run(&["workspace", "create", "room", "--quota", "b", "--description", "Team B"]).ok();
    assert_eq!(said, "room created with b\n");
    server.run(&["workspace", "create", "room"]).fails(4, "there is a workspace room already");
    server.run(&["workspace", "create", "other", "--quota", "nowhere"]).fails(3, "there is no quota nowhere");
    assert_eq!(server.run(&["workspaces", "list", "-o", "name"]).ok(), "default\nroom\n");
    let list = server.run(&["workspace", "list"]).ok();
    let rows: Vec<Vec<&str>> = list.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[1], ["default", "owner", "1", "0", "every", "quota"], "{list}");
    assert_eq!(rows[2], ["room", "-", "0", "0", "b"], "{list}");
    let wide = server.run(&["workspace", "list", "-o", "wide"]).ok();
    assert!(wide.contains("DEFAULT QUOTA") && wide.contains("Team B"), "{wide}");
    assert_eq!(
        server.run(&["workspace", "list", "-o", "json"]).json()["items"][1]["metadata"]["name"],
        "room"
    );
    let shown = server.run(&["workspace", "show", "default"]).ok();
    assert!(shown.contains("quotas     every quota") && shown.contains("admin (owner)"), "{shown}");
    assert!(server.run(&["workspace", "show", "room", "-o", "yaml"]).ok().contains("description: Team B"));

    assert_eq!(server.run(&["workspace", "attach", "room", "main"]).ok(), "main attached to room\n");
    server.run(&["workspace", "attach", "room", "main"]).fails(4, "attached to room already");
    server.run(&["workspace", "attach", "room", "nowhere"]).fails(3, "there is no quota nowhere");
    server.run(&["workspace", "attach", "default", "b"]).fails(4, "may use every quota");
    server.run(&["workspace", "set", "room"]).fails(2, "nothing is to be set");
    server.run(&["workspace", "set", "room", "--default-quota", "b", "--description", "B"]).ok();
    let spec = server.run(&["workspace", "show", "room", "-o", "json"]).json()["spec"].clone();
    assert_eq!((&spec["defaultQuota"], &spec["description"]), (&"b".into(), &"B".into()), "{spec}");
    assert_eq!(spec["quotas"].as_array().map(Vec::len), Some(2), "what was attached stays: {spec}");
    server.run(&["workspace", "set", "room", "--no-default-quota"]).ok();
    let spec = server.run(&["workspace", "show", "room", "-o", "json"]).json()["spec"].clone();
    assert!(spec["defaultQuota"].is_null() && spec["description"] == "B", "{spec}");

    server.run(&["submit", "--name", "w", "--workspace", "room", "--quota", "b", "--grace", "0s"]).ok();
    server.run(&["workspace", "detach", "room", "b"]).fails(4, "workloads of room live in b: w");
    server.run(&["workspace", "delete", "room"]).fails(4, "have not ended: w");
    server.run(&["stop", "w", "--workspace", "room"]).ok();
    server.wait_for("w", "stopped");
    assert_eq!(server.run(&["workspace", "detach", "room", "b"]).ok(), "b detached from room\n");
    server.run(&["workspace", "detach", "room", "b"]).fails(4, "b is not attached to room");
    let dry = server.run(&["workspace", "delete", "room", "--dry-run"]);
    assert_eq!(dry.out, "then: room deleted\n", "{dry:?}");
    assert_eq!(server.run(&["workspace", "delete", "room"]).ok(), "room deleted\n");
    server.run(&["workspace", "delete", "room"]).fails(3, "there is no workspace room");
    server.run(&["workspace", "delete", "default"]).fails(4, "always there");
}

#[test]
fn members_come_get_roles_and_go() {
    let house = House::new();
    let said = house.admin(&["workspace", "member", "add", "room-b", "carol", "--role", "guest"]).ok();
    assert_eq!(said, "carol is guest in room-b\n");
    house
        .admin(&["workspace", "member", "add", "room-b", "carol", "--role", "king"])
        .fails(3, "no role king");
    house.admin(&["workspace", "member", "add", "room-b", "nobody"]).fails(3, "no user nobody");
    let list = house.admin(&["workspace", "members", "list", "room-b"]).ok();
    assert!(list.lines().count() == 3 && list.contains("guest") && list.contains("person"), "{list}");
    // A guest submits nothing, a developer makes nobody a member.
    house.carol(&["submit", "--workspace", "room-b"]).fails(5, "does not include workload:submit");
    house.berta(&["workspace", "member", "remove", "room-b", "carol"]).fails(5, "member:update");
    house.berta(&["workspace", "member", "add", "room-c", "berta"]).fails(3, "there is no workspace room-c");
    house.admin(&["workspace", "member", "set", "room-b", "berta", "--role", "owner"]).ok();
    house.berta(&["workspace", "member", "remove", "room-b", "berta"]).fails(4, "no owner any more");
    let said = house.berta(&["workspace", "member", "remove", "room-b", "carol"]).ok();
    assert_eq!(said, "carol removed from room-b\n");
    house.berta(&["workspace", "member", "remove", "room-b", "carol"]).fails(3, "no member of room-b");
    house.carol(&["workspace", "show", "room-b"]).fails(3, "there is no workspace room-b");
    let who = house.berta(&["whoami"]).ok();
    assert!(who.contains("administrator  no") && who.contains("workspaces     room-b (owner)"), "{who}");
}

#[test]
fn users_are_created_shown_disabled_and_deleted() {
    let house = House::new();
    let made = house.admin(&["user", "create", "dora"]);
    assert_eq!((made.code, made.out.as_str()), (0, "dora created\n"));
    assert!(made.err.contains("tidegate token create --user dora"), "{made:?}");
    house.admin(&["user", "create", "dora"]).fails(4, "the name dora is taken");
    assert_eq!(house.admin(&["users", "list", "-o", "name"]).ok(), "admin\nberta\ncarol\ndora\n");
    let list = house.admin(&["user", "list", "-o", "wide"]).ok();
    assert!(list.contains("platform administrator") && list.contains("room-b (developer)"), "{list}");
    let shown = house.berta(&["user", "show", "berta"]).ok();
    assert!(shown.contains("active") && shown.contains("room-b (developer)"), "{shown}");
    house.berta(&["user", "show", "carol"]).fails(5, "user:read");
    house.berta(&["user", "list"]).fails(5, "user:read");
    house.berta(&["user", "create", "eve"]).fails(5, "user:update");
    house.admin(&["user", "show", "nobody"]).fails(3, "there is no user nobody");

    assert_eq!(house.admin(&["user", "disable", "berta"]).ok(), "berta disabled\n");
    house.berta(&["whoami"]).fails(5, "");
    assert_eq!(house.admin(&["user", "enable", "berta"]).ok(), "berta enabled\n");
    house.berta(&["whoami"]).fails(5, "");
    house.admin(&["user", "disable", "admin"]).fails(4, "stays an administrator");
    house.admin(&["user", "set", "carol", "--platform-admin", "true"]).ok();
    house.carol(&["node", "list"]).ok();
    house.admin(&["user", "set", "carol", "--platform-admin", "false"]).ok();
    house.carol(&["node", "list"]).fails(5, "pool:read");
    house.admin(&["user", "delete", "dora", "--dry-run"]).ok();
    assert_eq!(house.admin(&["user", "delete", "dora", "carol"]).ok(), "dora deleted\ncarol deleted\n");
    house.carol(&["whoami"]).fails(5, "");
    house.admin(&["user", "delete", "dora"]).fails(3, "there is no user dora");
    house.admin(&["user", "delete", "admin"]).fails(4, "always there");
}

#[test]
fn roles_are_made_of_actions() {
    let house = House::new();
    assert!(house.berta(&["role", "list", "-o", "name"]).ok().starts_with("owner\nadmin\ndeveloper\n"));
    let actions = house.admin(&["role", "actions"]).ok();
    assert!(actions.contains("workload:submit") && actions.contains("submit workloads"), "{actions}");
    let said = house.admin(&["role", "create", "reader", "--actions", "workspace:read,workload:read"]).ok();
    assert_eq!(said, "reader created\n");
    house
        .admin(&["role", "create", "reader", "--actions", "workload:read"])
        .fails(4, "a role reader already");
    house.admin(&["role", "create", "r", "--actions", "quota:eat"]).fails(2, "there is no action");
    house
        .admin(&["role", "create", "r", "--actions", "quota:update"])
        .fails(2, "no action within a workspace");
    house.berta(&["role", "create", "r", "--actions", "workload:read"]).fails(5, "role:update");
    house.admin(&["workspace", "member", "add", "room-b", "carol", "--role", "reader"]).ok();
    house.carol(&["submit", "--workspace", "room-b"]).fails(5, "the role reader does not include");
    let all = "workspace:read,workload:read,workload:submit";
    assert_eq!(house.admin(&["role", "set", "reader", "--actions", all]).ok(), "reader set\n");
    house.carol(&["submit", "--workspace", "room-b", "--duration", "1ms"]).ok();
    let shown = house.carol(&["role", "show", "reader"]).ok();
    assert!(shown.contains("workload:submit") && shown.contains("made"), "{shown}");
    house.admin(&["role", "delete", "reader"]).fails(4, "1 member has the role reader");
    house.admin(&["role", "set", "owner", "--actions", all]).fails(4, "always there");
    house.admin(&["workspace", "member", "remove", "room-b", "carol"]).ok();
    assert_eq!(house.admin(&["roles", "delete", "reader"]).ok(), "reader deleted\n");
    house.admin(&["role", "show", "reader"]).fails(3, "there is no role reader");
}

#[test]
fn a_service_account_acts_in_its_workspace_alone() {
    let house = House::new();
    house.berta(&["service-account", "create", "ci", "--workspace", "room-b"]).fails(5, "member:update");
    house.admin(&["workspace", "member", "set", "room-b", "berta", "--role", "admin"]).ok();
    let said = house.berta(&["service-account", "create", "ci", "--workspace", "room-b"]).ok();
    assert_eq!(said, "ci created: developer in room-b\n");
    house
        .berta(&["service-account", "create", "ci", "--workspace", "room-b"])
        .fails(4, "the name ci is taken");
    house.berta(&["service-account", "create", "x", "--workspace", "room-c"]).fails(3, "no workspace room-c");
    let token = house.berta(&["token", "create", "nightly", "--user", "ci"]).ok();
    house.by(token.trim(), &["submit", "--name", "n", "--duration", "1ms"]).ok();
    house.by(token.trim(), &["submit", "--workspace", "room-c"]).fails(3, "there is no workspace room-c");
    let accounts = house.berta(&["service-accounts", "list", "--workspace", "room-b", "-o", "name"]).ok();
    assert_eq!(accounts, "ci\n");
    house.carol(&["token", "list", "--user", "ci"]).fails(5, "");
    let gone = house.berta(&["service-account", "delete", "ci", "--workspace", "room-b"]).ok();
    assert_eq!(gone, "ci deleted\n");
    house.by(token.trim(), &["whoami"]).fails(5, "");
    house.berta(&["service-account", "delete", "ci", "--workspace", "room-b"]).fails(3, "ci is no member");
}

#[test]
fn the_secret_of_a_token_is_all_that_stdout_gets() {
    let house = House::new();
    let made = house.berta(&["token", "create", "laptop", "--expires-in", "24h"]);
    let secret = made.out.trim_end();
    assert!(made.code == 0 && made.out.lines().count() == 1 && secret.len() >= 43, "{made:?}");
    assert!(made.err.contains("(laptop) acts for berta until 20") && !made.err.contains(secret), "{made:?}");
    assert_eq!(house.by(secret, &["whoami", "-o", "name"]).ok(), "berta\n");
    let dry = house.berta(&["token", "create", "--dry-run", "-o", "json"]);
    assert!(dry.code == 0 && !dry.out.contains("secret"), "nobody shall try it: {dry:?}");
    house.berta(&["token", "create", "--expires-in", "9000h"]).fails(2, "at most 8784h");
    house.berta(&["token", "create", "--actions", "cat:feed"]).fails(2, "there is no action");
    house.berta(&["token", "create", "--user", "carol"]).fails(5, "");
    house.admin(&["token", "create", "--user", "nobody"]).fails(3, "there is no user nobody");

    let narrow = house.berta(&["token", "create", "reader", "--actions", "workload:read"]);
    assert!(narrow.err.contains(", for workload:read"), "{narrow:?}");
    let narrow = narrow.out.trim();
    house.by(narrow, &["list"]).ok();
    house.by(narrow, &["submit"]).fails(5, "not good for workload:submit");

    let list = house.berta(&["token", "list", "-o", "wide"]).ok();
    assert!(list.contains("laptop") && list.contains("workload:read") && !list.contains(secret), "{list}");
    let id = |name: &str| {
        let items = house.berta(&["token", "list", "-o", "json"]).json()["items"].clone();
        let found = items.as_array().and_then(|all| all.iter().find(|token| token["name"] == name).cloned());
        found.and_then(|token| token["id"].as_str().map(str::to_string)).expect("it is listed")
    };
    let laptop = id("laptop");
    house.carol(&["token", "revoke", &laptop]).fails(3, "there is no token");
    assert_eq!(house.berta(&["token", "revoke", &laptop]).ok(), format!("{laptop} revoked\n"));
    house.berta(&["token", "revoke", &laptop]).fails(3, "there is no token");
    house.by(secret, &["whoami"]).fails(5, "");
}

#[test]
fn a_room_is_closed_to_everybody_else() {
    let house = House::new();
    // Neither a workspace nor a quota is named: each is in one room, and each room has one quota.
    house.carol(&["submit", "--name", "secret", "--gpus", "1", "--grace", "0s"]).ok();
    house.berta(&["submit", "--name", "mine", "--gpus", "1", "--grace", "0s"]).ok();
    assert_eq!(house.berta(&["list", "--all", "-o", "name"]).ok(), "mine\n");
    assert_eq!(house.berta(&["quota", "list", "-o", "name"]).ok(), "b\n");
    assert_eq!(house.berta(&["workspace", "list", "-o", "name"]).ok(), "room-b\n");
    let uid = house.carol(&["show", "secret", "-o", "json"]).json()["metadata"]["uid"].clone();
    let uid = uid.as_str().expect("a uid");
    for name in ["secret", uid] {
        for verb in ["show", "explain", "events", "logs", "open", "start", "stop", "restart", "delete"] {
            house.berta(&[verb, name]).fails(3, &format!("there is no workload {name}"));
            house.berta(&[verb, name, "--workspace", "room-c"]).fails(3, "there is no workload");
        }
        house.berta(&["resize", name, "2"]).fails(3, "there is no workload");
        house.berta(&["priority", name, "9"]).fails(3, "there is no workload");
    }
    house.berta(&["submit", "--quota", "c"]).fails(3, "there is no quota c");
    house.berta(&["submit", "--quota", "main"]).fails(5, "is not attached to the workspace room-b");
    house.berta(&["submit", "--workspace", "room-c"]).fails(3, "there is no workspace room-c");
    house.berta(&["quota", "scale", "b", "9"]).fails(5, "quota:update");
    house.berta(&["workspace", "attach", "room-b", "c"]).fails(5, "workspace:create");
    house.berta(&["workspace", "create", "more"]).fails(5, "workspace:create");
    let frame = house.berta(&["top", "--once"]).ok();
    assert!(frame.contains("mine") && !frame.contains("secret") && !frame.contains("local-0"), "{frame}");
}

#[test]
fn names_are_looked_for_in_a_workspace_and_private_work_is_ones_own() {
    let house = House::new();
    house.carol(&["submit", "--name", "same", "--gpus", "1", "--grace", "0s"]).ok();
    house.berta(&["submit", "--name", "same", "--gpus", "1", "--grace", "0s"]).ok();
    house.admin(&["show", "same"]).fails(2, "there is a workload same in");
    let quota = |room: &str| {
        let shown = house.admin(&["show", "same", "--workspace", room, "-o", "json"]);
        shown.json()["status"]["quota"].clone()
    };
    assert_eq!((quota("room-b"), quota("room-c")), ("b".into(), "c".into()));
    assert_eq!(house.admin(&["list", "--workspace", "room-b", "-o", "name"]).ok(), "same\n");
    let wide = house.admin(&["list", "-o", "wide"]).ok();
    assert!(wide.contains("room-b") && wide.contains("room-c"), "{wide}");
    for verb in ["explain", "events"] {
        house.admin(&[verb, "same"]).fails(2, "there is a workload same in");
        house.admin(&[verb, "same", "--workspace", "room-b"]).ok();
    }
    house.admin(&["logs", "same"]).fails(2, "there is a workload same in");
    house.admin(&["logs", "same", "--workspace", "room-b"]).fails(3, "the virtual executor starts nothing");
    house.admin(&["priority", "same", "4", "--workspace", "room-b"]).ok();
    house.admin(&["stop", "same", "--workspace", "room-c"]).ok();

    house.admin(&["workspace", "member", "add", "room-b", "carol"]).ok();
    house.carol(&["submit"]).fails(2, "several workspaces: room-b, room-c");
    house.carol(&["submit", "--workspace", "room-b", "--name", "hush", "--private", "--gpus", "1"]).ok();
    let shown = house.carol(&["show", "hush"]).ok();
    assert!(shown.contains("visibility   private"), "{shown}");
    house.berta(&["show", "hush"]).fails(3, "there is no workload hush");
    house.carol(&["stop", "same", "--workspace", "room-b"]).fails(5, "belongs to somebody else");
    house.admin(&["workspace", "member", "set", "room-b", "berta", "--role", "operator"]).ok();
    house.berta(&["show", "hush"]).ok();
}

#[test]
fn workspaces_are_manifests_too() {
    let server = Server::start();
    server.run(&["quota", "create", "b", "8", "--parent", "main"]).ok();
    let manifest = |quotas: &str, about: &str| {
        format!(
            "apiVersion: tidegate.dev/v1\nkind: Workspace\nmetadata: {{name: room}}\n\
             spec: {{quotas: [{quotas}], description: {about}}}\n"
        )
    };
    let apply = |text: &str, more: &[&str]| server.run_with(&[&["apply", "-f", "-"], more].concat(), text);
    assert_eq!(apply(&manifest("b", "B"), &["--dry-run"]).out.lines().next(), Some("workspace/room created"));
    assert_eq!(apply(&manifest("b", "B"), &[]).ok(), "workspace/room created\n");
    assert_eq!(apply(&manifest("b", "B"), &[]).ok(), "workspace/room unchanged\n");
    let said = apply(&manifest("'b', 'main'", "both"), &[]).ok();
    assert!(said.starts_with("workspace/room configured ("), "{said}");
    let refused = apply(&manifest("nowhere", "B"), &[]);
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(refused.err.contains("there is no quota nowhere"), "{refused:?}");
    let shown = server.run(&["workspace", "show", "room", "-o", "yaml"]).ok();
    assert_eq!(apply(&shown, &[]).ok(), "workspace/room unchanged\n", "what is shown can be applied");
}

#[test]
fn lists_go_on_when_something_changes() {
    let server = Server::start();
    let watch = |words: &[&str]| server.follow(&[words, &["--watch", "-o", "name"]].concat());
    let mut rooms = watch(&["workspace", "list"]);
    rooms.line_with("default");
    let mut users = watch(&["user", "list"]);
    users.line_with("admin");
    let mut roles = watch(&["role", "list"]);
    roles.line_with("guest");
    let mut members = watch(&["workspace", "member", "list", "default"]);
    members.line_with("admin");
    let (mut tokens, mut hooks) =
        (watch(&["token", "list"]), watch(&["webhook", "list", "--workspace", "default"]));
    server.run(&["workspace", "create", "team-x", "--quota", "main"]).ok();
    rooms.line_with("team-x");
    server.run(&["user", "create", "xenia"]).ok();
    users.line_with("xenia");
    server.run(&["role", "create", "student", "--actions", "workload:read"]).ok();
    roles.line_with("student");
    server.run(&["workspace", "member", "add", "default", "xenia"]).ok();
    members.line_with("xenia");
    // These begin with nothing to show: what was there before they looked is shown as well.
    let id = server.run(&["token", "create", "laptop", "-o", "json"]).json()["id"].clone();
    tokens.line_with(id.as_str().expect("an id"));
    let chat = ["webhook", "create", "chat", "--workspace", "default", "--url", "http://8.8.8.8:9/"];
    assert_eq!(server.run(&[&chat[..], &["--dry-run"]].concat()).ok(), "then: chat created\n");
    server.run(&chat).ok();
    hooks.line_with("chat");
    server.run(&["webhook", "delete", "chat", "--workspace", "default"]).ok();
    // Changes by the version that was read.
    server.run(&["workspace", "set", "team-x", "--description", "x"]).ok();
    server.run(&["user", "set", "xenia", "--platform-admin", "true"]).ok();
}

#[test]
fn sizes_and_links() {
    let server = Server::start();
    let policy =
        "spec: {presets: [{name: small, modules: [notebook], resources: {gpu: 1, cpu: 4, memory: 16Gi}}]}";
    server.run_with(&["workspace", "policy", "set", "default", "main", "-f", "-"], policy).ok();
    assert!(
        server
            .run(&["workspace", "policy", "show", "default", "main"])
            .ok()
            .contains("small: 1 GPU, 4 cores, 16Gi (notebook)")
    );
    let lab = ["submit", "--name", "lab", "--module", "notebook", "--size", "small"];
    server.run(&lab).ok();
    assert_eq!(server.run(&["show", "lab", "-o", "json"]).json()["status"]["gpu"], 1);
    server.run(&["submit", "--size", "small"]).fails(3, "there is no size small for training");
    server.run(&["submit", "--size", "small", "--gpus", "2"]).fails(2, "--gpus");
    server.run(&["user", "create", "xenia"]).ok();
    let link = ["user", "link", "xenia", "--subject", "s-1"];
    server.run(&link).fails(2, "this server knows no provider of identities");
    server.run(&[&link[..], &["--issuer", "https://id.example"]].concat()).ok();
    let shown = server.run(&["user", "show", "xenia"]).ok();
    assert!(shown.contains("https://id.example") && shown.contains("s-1"), "{shown}");
    assert_eq!(server.run(&["user", "unlink", "xenia"]).ok(), "xenia unlinked\n");
}
