//! Users, workspaces and what belongs to them, as they are shown: secrets and hashes stay out.

use crate::center::wire;
use crate::core::world::World;
use serde_json::{Value, json};
use tidegate_api::time::Time;
use tidegate_engine::ids::{MemberId, QuotaId, WorkspaceId};
use tidegate_engine::reason::Names;
use tidegate_identity::Record;
use tidegate_identity::record::{TokenKind, UserKind};

/// What kind of thing a record is.
pub(super) fn kind(record: &Record) -> &'static str {
    match record {
        Record::User(_) => "user",
        Record::Workspace(_) => "workspace",
        Record::Member(_) => "member",
        Record::Role(_) => "role",
        Record::Token(_) => "token",
        Record::Policy(..) => "policy",
        Record::Webhook(_) => "webhook",
    }
}

/// What it is called. Quotas may be under seal.
pub(super) fn name(world: &World, record: &Record) -> String {
    match record {
        Record::User(user) => user.name.to_string(),
        Record::Workspace(room) => room.name.to_string(),
        Record::Member(member) => user(world, member.user),
        Record::Role(role) => role.name.to_string(),
        Record::Token(token) => format!("t-{}", token.id.0),
        Record::Policy(_, quota, _) => world.quota_name(*quota).into_owned(),
        Record::Webhook(hook) => hook.name.to_string(),
    }
}

/// The workspace that it belongs to.
pub(super) fn room(world: &World, record: &Record) -> Option<WorkspaceId> {
    let of_user = |kind: UserKind| match kind {
        UserKind::Person => None,
        UserKind::ServiceAccount(room) => Some(room),
    };
    match record {
        Record::User(user) => of_user(user.kind),
        Record::Workspace(room) => Some(room.id),
        Record::Member(member) => Some(member.workspace),
        Record::Role(_) => None,
        Record::Token(token) => world.people.room_of_account(token.user),
        Record::Policy(room, ..) => Some(*room),
        Record::Webhook(hook) => Some(hook.workspace),
    }
}

/// The name of a user, also of one that is gone.
pub(super) fn user(world: &World, id: MemberId) -> String {
    world.people.user_name(id).map_or_else(|| format!("u-{}", id.0), str::to_string)
}

/// The name of a workspace, also of one that is gone.
pub(super) fn room_name(world: &World, id: WorkspaceId) -> String {
    world.people.workspace_name(id).map_or_else(|| format!("ws-{}", id.0), str::to_string)
}

pub(super) fn shown(world: &World, record: &Record) -> Value {
    let quota = |id: QuotaId| world.quota_name(id).into_owned();
    match record {
        Record::User(user) => json!({
            "platformAdmin": user.platform_admin,
            "disabled": user.disabled,
            "password": user.password.is_some(),
            "provider": user.provider.as_ref().map(|(issuer, _)| issuer),
            "subject": user.provider.as_ref().map(|(_, subject)| subject),
            "serviceAccount": matches!(user.kind, UserKind::ServiceAccount(_)),
        }),
        Record::Workspace(room) => json!({
            "description": room.description,
            "quotas": room.quotas.iter().copied().map(quota).collect::<Vec<_>>(),
            "defaultQuota": room.default_quota.map(quota),
        }),
        Record::Member(member) => json!({"role": world.people.role_name(member.role)}),
        Record::Role(role) => json!({"actions": role.actions}),
        Record::Token(token) => json!({
            "name": token.name,
            "user": user(world, token.user),
            "kind": match token.kind {
                TokenKind::Bearer => "token",
                TokenKind::Session => "session",
                TokenKind::Invitation => "invitation",
            },
            "actions": token.scope,
            "expiresAt": token.expires.map(Time::of),
        }),
        Record::Policy(_, _, policy) => json!(wire::told(&world.people, policy)),
        Record::Webhook(hook) => json!({
            "url": without_query(&hook.url),
            "notices": hook.notices.iter().map(|notice| notice.word()).collect::<Vec<_>>(),
        }),
    }
}

/// What follows the question mark of an address is often a secret of whoever is there.
fn without_query(url: &str) -> String {
    match url.split_once('?') {
        Some((before, _)) => format!("{before}?…"),
        None => url.to_string(),
    }
}
