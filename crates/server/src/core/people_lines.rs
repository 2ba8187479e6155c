//! What became of users, workspaces and all that belongs to them, as watchers read it: what it is called, and no more.

use super::hub::{Kind, Line, Topic, Whose};
use super::world::World;
use serde_json::{Map, json};
use tidegate_api::time::Time;
use tidegate_engine::ids::Tick;
use tidegate_engine::reason::Names;
use tidegate_identity::record::{Token, TokenKind};
use tidegate_identity::{Change, Record};

/// The line of a change that is about to be taken in; `None` for what nobody lists.
pub fn line(world: &World, change: &Change) -> Option<Line> {
    let record = change.after.as_deref().or(change.before.as_deref())?;
    if is_only_use(change) || matches!(record, Record::Token(Token { kind: TokenKind::Invitation, .. })) {
        return None;
    }
    let (kind, whose) = match record {
        Record::User(user) => (Kind::User, Whose::User(user.id)),
        Record::Workspace(room) => (Kind::Workspace, Whose::Room(room.id)),
        Record::Member(member) => (Kind::Member, Whose::Member(member.workspace, member.user)),
        Record::Role(_) => (Kind::Role, Whose::Everybody),
        Record::Token(token) => (Kind::Token, Whose::User(token.user)),
        Record::Policy(room, ..) => (Kind::Policy, Whose::Room(*room)),
        Record::Webhook(hook) => (Kind::Webhook, Whose::Room(hook.workspace)),
    };
    let people = &world.people;
    let name = match record {
        Record::User(user) => user.name.to_string(),
        Record::Workspace(room) => room.name.to_string(),
        Record::Member(member) => people.user_name(member.user)?.to_string(),
        Record::Role(role) => role.name.to_string(),
        Record::Token(token) => format!("t-{}", token.id.0),
        // Under seal, as everywhere.
        Record::Policy(_, quota, _) => world.quota_name(*quota).into_owned(),
        Record::Webhook(hook) => hook.name.to_string(),
    };
    let room = match whose {
        Whose::Room(room) | Whose::Member(room, _) if kind != Kind::Workspace => people.workspace_name(room),
        _ => None,
    };
    Some(told(world, change.at, (kind, whose, name), room, (change.before.is_some(), change.after.is_some())))
}

/// A line about a record: what it is called, the workspace that it belongs to, and whether it was there before and is now.
pub(super) fn told(
    world: &World,
    at: Tick,
    (kind, whose, name): (Kind, Whose, String),
    room: Option<&str>,
    (before, after): (bool, bool),
) -> Line {
    let event = match (before, after) {
        (false, _) => "created",
        (true, true) => "changed",
        (true, false) => "deleted",
    };
    let mut object = Map::new();
    object.insert("number".into(), json!(world.next));
    object.insert("at".into(), json!(Time::of(at)));
    object.insert(kind.key().into(), json!(name));
    if let Some(room) = room {
        object.insert("workspace".into(), json!(room));
    }
    object.insert("event".into(), json!(event));
    let topic = Topic { kind, name: name.into(), whose: Some(whose), ..Topic::default() };
    let text = serde_json::Value::Object(object).to_string();
    Line::new(world.next, event, topic, move || text)
}

/// Whether all that changed is when a token was last used: nobody asked for that.
pub fn is_only_use(change: &Change) -> bool {
    let (Some(Record::Token(before)), Some(Record::Token(after))) =
        (change.before.as_deref(), change.after.as_deref())
    else {
        return false;
    };
    Token { last_used: after.last_used, ..before.clone() } == *after
}
