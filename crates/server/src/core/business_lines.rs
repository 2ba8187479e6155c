//! What became of price books, templates, dedicated compute and what else bills need, as watchers read it: what it is
//! called, and no more.

use super::hub::{Kind, Line, Whose};
use super::people_lines::told;
use super::world::World;
use tidegate_billing::{Change, Record};

/// The line of a change that is about to be taken in; `None` for what nobody lists.
pub(super) fn line(world: &World, change: &Change) -> Option<Line> {
    let record = change.after.as_deref().or(change.before.as_deref())?;
    let (kind, whose, name) = match record {
        Record::PriceBook(book) => (Kind::PriceBook, Whose::Everybody, book.name.to_string()),
        Record::Template(template) => {
            let whose = template.workspace.map_or(Whose::Everybody, Whose::Room);
            (Kind::Template, whose, template.name.to_string())
        }
        Record::ResourceRequest(request) => {
            (Kind::ResourceRequest, Whose::Room(request.workspace), request.id.to_string())
        }
        Record::ResourceConfig(config) => {
            (Kind::ResourceConfig, Whose::Room(config.workspace), config.id.to_string())
        }
        Record::Budget(budget) => {
            (Kind::Budget, Whose::Room(budget.workspace), world.room_name(budget.workspace).to_string())
        }
        Record::Correction(one) => {
            (Kind::Correction, Whose::Member(one.workspace, one.user), format!("cor-{}", one.id.0))
        }
        // Part of a quota, which says so itself.
        Record::Compute(_) => return None,
    };
    let room = match whose {
        Whose::Room(room) | Whose::Member(room, _) => world.people.workspace_name(room),
        Whose::Everybody | Whose::User(_) => None,
    };
    Some(told(world, change.at, (kind, whose, name), room, (change.before.is_some(), change.after.is_some())))
}
