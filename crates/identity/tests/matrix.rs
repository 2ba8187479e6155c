//! Who may do what, for every role, action and kind of thing, as one text that people read.
//! `UPDATE=1` rewrites `matrix.txt`; every difference is a change of somebody's rights.

use std::fmt::Write as _;
use std::path::Path;
use tidegate_engine::ids::{MemberId, QuotaId, Tick, WorkspaceId};
use tidegate_identity::action::Level;
use tidegate_identity::record::{Change, Member, Record, Role, TokenKind, User, UserKind, Workspace};
use tidegate_identity::role::{BuiltIn, FIRST_MADE};
use tidegate_identity::{Action, People, Resource, Verdict, Who, may};

const ROOM: WorkspaceId = WorkspaceId(1);
const OTHER_ROOM: WorkspaceId = WorkspaceId(2);
const ATTACHED: QuotaId = QuotaId(1);
const FOREIGN: QuotaId = QuotaId(2);
const SOMEBODY: MemberId = MemberId(99);

fn add(people: &mut People, record: Record) {
    people.apply(1, &Change { at: Tick(1), before: None, after: Some(Box::new(record)) });
}

fn user(id: MemberId, name: &str, platform_admin: bool) -> User {
    User {
        id,
        name: name.into(),
        kind: UserKind::Person,
        platform_admin,
        disabled: false,
        password: None,
        provider: None,
        created: Tick(1),
    }
}

/// Two rooms, one member of each role in the first, somebody in both, and a stranger.
fn world() -> (People, Vec<(&'static str, MemberId)>) {
    let mut people = People::default();
    for (id, name, quota) in [(ROOM, "room", ATTACHED), (OTHER_ROOM, "other", FOREIGN)] {
        let room = Workspace {
            id,
            name: name.into(),
            description: "".into(),
            quotas: vec![quota],
            default_quota: None,
            created: Tick(1),
        };
        add(&mut people, Record::Workspace(room));
    }
    let mut who = vec![("platform-admin", MemberId(1))];
    add(&mut people, Record::User(user(MemberId(1), "platform-admin", true)));
    for (number, role) in BuiltIn::ALL.into_iter().enumerate() {
        let id = MemberId(10 + number as u32);
        add(&mut people, Record::User(user(id, role.word(), false)));
        add(
            &mut people,
            Record::Member(Member { workspace: ROOM, user: id, role: role.id(), since: Tick(1) }),
        );
        who.push((role.word(), id));
    }
    let auditor = Role {
        id: FIRST_MADE,
        name: "auditor".into(),
        actions: [Action::WorkloadRead, Action::WorkspaceRead, Action::AuditRead].into_iter().collect(),
        created: Tick(1),
    };
    add(&mut people, Record::Role(auditor));
    // A program with an account of its own, and somebody with a role that was made.
    let account = User { kind: UserKind::ServiceAccount(ROOM), ..user(MemberId(30), "account", false) };
    for (name, of, role) in [
        ("account", account, BuiltIn::Developer.id()),
        ("auditor", user(MemberId(31), "auditor", false), FIRST_MADE),
    ] {
        let member = Member { workspace: ROOM, user: of.id, role, since: Tick(1) };
        who.push((name, of.id));
        add(&mut people, Record::User(of));
        add(&mut people, Record::Member(member));
    }
    add(&mut people, Record::User(user(MemberId(20), "stranger", false)));
    who.push(("stranger", MemberId(20)));
    (people, who)
}

/// Everything that can be asked about, from the side of somebody.
fn things(own: MemberId) -> Vec<(String, Resource)> {
    let mut all = vec![
        ("platform".into(), Resource::Platform),
        ("quota attached".into(), Resource::Quota(ATTACHED)),
        ("quota foreign".into(), Resource::Quota(FOREIGN)),
        ("workspace same".into(), Resource::Workspace(ROOM)),
        ("workspace other".into(), Resource::Workspace(OTHER_ROOM)),
    ];
    for (room, workspace) in [("same", ROOM), ("other", OTHER_ROOM)] {
        for (whose, owner) in [("own", own), ("others'", SOMEBODY)] {
            for (seen, private) in [("public", false), ("private", true)] {
                let name = format!("workload {room} {whose} {seen}");
                all.push((name, Resource::Workload { workspace, owner, private }));
            }
        }
    }
    all
}

/// What an action can be asked about.
fn concerns(action: Action, thing: &Resource) -> bool {
    let of_workload = action.word().starts_with("workload:") && action != Action::WorkloadSubmit;
    match thing {
        Resource::Workload { .. } => of_workload,
        Resource::Workspace(_) => action.level() == Level::Workspace && !of_workload,
        Resource::Quota(_) => action.word().starts_with("quota:"),
        // Some templates are everybody's.
        Resource::Platform => {
            action == Action::TemplateUpdate
                || (action.level() != Level::Workspace && action != Action::QuotaRead)
        }
    }
}

fn matrix() -> String {
    let (people, who) = world();
    let mut text = String::from(
        "# role | action | on what | verdict: allowed, denied (known to be there, or told of anything), hidden (404)\n",
    );
    for (role, id) in who {
        let asks = Who { user: id, scope: None, kind: TokenKind::Bearer };
        for action in Action::ALL {
            for (name, thing) in things(id).iter().filter(|(_, thing)| concerns(*action, thing)) {
                let word = match may(&people, &asks, *action, *thing) {
                    Verdict::Allowed => "allowed",
                    Verdict::Denied { .. } => "denied",
                    Verdict::Hidden => "hidden",
                };
                let _ = writeln!(text, "{role:<14} | {:<22} | {name:<28} | {word}", action.word());
            }
        }
    }
    text
}

#[test]
fn the_matrix_is_as_it_was_agreed() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("matrix.txt");
    let matrix = matrix();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, &matrix).expect("the file can be written");
    }
    let agreed = std::fs::read_to_string(&file).unwrap_or_default();
    for (line, (now, then)) in matrix.lines().zip(agreed.lines()).enumerate() {
        assert_eq!(now, then, "line {} of matrix.txt", line + 1);
    }
    assert_eq!(matrix.lines().count(), agreed.lines().count());
}

#[test]
fn a_narrow_token_does_not_widen_and_does_not_tell() {
    let (people, who) = world();
    for (_, user) in who {
        for action in Action::ALL {
            for (name, thing) in things(user).iter().filter(|(_, thing)| concerns(*action, thing)) {
                let free = may(&people, &Who { user, scope: None, kind: TokenKind::Bearer }, *action, *thing);
                let scope = Some([Action::MetricsRead].into_iter().collect());
                let narrow = may(&people, &Who { user, scope, kind: TokenKind::Bearer }, *action, *thing);
                match (&free, *action == Action::MetricsRead) {
                    (Verdict::Allowed, false) => assert!(matches!(narrow, Verdict::Denied { .. }), "{name}"),
                    _ => assert_eq!(free, narrow, "{name}"),
                }
            }
        }
    }
}

#[test]
fn whoever_is_disabled_may_nothing() {
    let (mut people, who) = world();
    let before = people.user(who[0].1).expect("there").clone();
    let after = User { disabled: true, ..before.clone() };
    let change = |record| Some(Box::new(Record::User(record)));
    people.apply(2, &Change { at: Tick(2), before: change(before), after: change(after) });
    let asks = Who { user: who[0].1, scope: None, kind: TokenKind::Bearer };
    for action in Action::ALL {
        assert_eq!(may(&people, &asks, *action, Resource::Platform), Verdict::Hidden);
    }
}

#[test]
fn nobody_grants_more_than_they_have() {
    use tidegate_identity::may::may_grant;
    let (people, who) = world();
    let allowed = |role: &str, given: BuiltIn| {
        let user = who.iter().find(|(name, _)| *name == role).expect("a role").1;
        let asks = Who { user, scope: None, kind: TokenKind::Bearer };
        may_grant(&people, &asks, ROOM, given.id()).is_allowed()
    };
    for given in BuiltIn::ALL {
        assert!(allowed("platform-admin", given) && allowed("owner", given));
        assert_eq!(allowed("admin", given), given != BuiltIn::Owner, "{given:?}");
        for role in ["developer", "operator", "guest", "stranger"] {
            assert!(!allowed(role, given), "{role} gives {given:?}");
        }
    }
}

#[test]
fn a_narrow_token_grants_no_more_than_it_is_good_for() {
    use tidegate_identity::may::may_grant;
    let (people, who) = world();
    for name in ["platform-admin", "owner", "admin"] {
        let user = who.iter().find(|(role, _)| *role == name).expect("a role").1;
        let scope: tidegate_identity::ActionSet =
            [Action::MemberUpdate, Action::WorkloadRead, Action::WorkspaceRead].into_iter().collect();
        let asks = Who { user, scope: Some(scope), kind: TokenKind::Bearer };
        for given in BuiltIn::ALL {
            let allowed = may_grant(&people, &asks, ROOM, given.id()).is_allowed();
            assert_eq!(allowed, given == BuiltIn::Guest, "{name} gives {given:?}");
        }
    }
}
