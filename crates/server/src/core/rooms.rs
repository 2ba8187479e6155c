//! Which workloads of a workspace somebody sees: kept as they come and go, so that a page of them costs a page.

use std::collections::{BTreeMap, BTreeSet};
use tidegate_engine::ids::{MemberId, WorkloadId, WorkspaceId};

/// Whose a workload is, and who may see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ownership {
    pub workspace: WorkspaceId,
    pub owner: MemberId,
    /// Seen by its owner, and by who operates everybody's.
    pub private: bool,
}

/// The workloads of one workspace that are in memory.
#[derive(Clone, Debug, Default)]
struct Room {
    all: BTreeSet<WorkloadId>,
    public: BTreeSet<WorkloadId>,
    private: BTreeMap<MemberId, BTreeSet<WorkloadId>>,
}

impl Room {
    /// What somebody sees who sees public ones and their own, the latest first.
    fn seen_by(&self, member: MemberId, below: WorkloadId) -> impl Iterator<Item = WorkloadId> {
        let public = self.public.range(..below).rev().copied();
        let own =
            self.private.get(&member).into_iter().flat_map(move |own| own.range(..below).rev().copied());
        merge(public, own)
    }
}

/// All workspaces.
#[derive(Clone, Debug, Default)]
pub struct Rooms {
    rooms: BTreeMap<WorkspaceId, Room>,
    of: BTreeMap<WorkloadId, Ownership>,
}

impl Rooms {
    /// Whose a workload is.
    pub fn of(&self, id: WorkloadId) -> Option<Ownership> {
        self.of.get(&id).copied()
    }

    pub fn insert(&mut self, id: WorkloadId, of: Ownership) {
        self.of.insert(id, of);
        let room = self.rooms.entry(of.workspace).or_default();
        room.all.insert(id);
        match of.private {
            true => room.private.entry(of.owner).or_default().insert(id),
            false => room.public.insert(id),
        };
    }

    pub fn remove(&mut self, id: WorkloadId) {
        let Some(of) = self.of.remove(&id) else { return };
        let Some(room) = self.rooms.get_mut(&of.workspace) else { return };
        room.all.remove(&id);
        room.public.remove(&id);
        if let Some(own) = room.private.get_mut(&of.owner) {
            own.remove(&id);
            if own.is_empty() {
                room.private.remove(&of.owner);
            }
        }
    }

    /// Everything in a workspace, the latest first.
    pub fn all(&self, workspace: WorkspaceId, below: WorkloadId) -> impl Iterator<Item = WorkloadId> {
        self.rooms.get(&workspace).into_iter().flat_map(move |room| room.all.range(..below).rev().copied())
    }

    /// What a member sees of a workspace who sees public ones and their own, the latest first.
    pub fn seen_by(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        below: WorkloadId,
    ) -> impl Iterator<Item = WorkloadId> {
        self.rooms.get(&workspace).into_iter().flat_map(move |room| room.seen_by(member, below))
    }
}

/// Two descending sequences as one.
pub fn merge(
    a: impl Iterator<Item = WorkloadId>,
    b: impl Iterator<Item = WorkloadId>,
) -> impl Iterator<Item = WorkloadId> {
    let (mut a, mut b) = (a.peekable(), b.peekable());
    std::iter::from_fn(move || match (a.peek(), b.peek()) {
        (Some(left), Some(right)) if left < right => b.next(),
        (Some(_), _) => a.next(),
        (None, _) => b.next(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: WorkspaceId = WorkspaceId(1);

    fn of(owner: u32, private: bool) -> Ownership {
        Ownership { workspace: ROOM, owner: MemberId(owner), private }
    }

    #[test]
    fn everybody_sees_public_ones_and_their_own() {
        let mut rooms = Rooms::default();
        for (id, owner, private) in [(1, 7, false), (2, 7, true), (3, 8, true), (4, 8, false), (5, 7, true)] {
            rooms.insert(WorkloadId(id), of(owner, private));
        }
        let seen = |rooms: &Rooms, member, below| -> Vec<u32> {
            rooms.seen_by(ROOM, MemberId(member), WorkloadId(below)).map(|id| id.0).collect()
        };
        assert_eq!(seen(&rooms, 7, 9), [5, 4, 2, 1]);
        assert_eq!(seen(&rooms, 8, 9), [4, 3, 1]);
        assert_eq!(seen(&rooms, 8, 4), [3, 1]);
        assert_eq!(seen(&rooms, 9, 9), [4, 1]);
        assert_eq!(rooms.all(ROOM, WorkloadId(9)).count(), 5);
        rooms.remove(WorkloadId(5));
        rooms.remove(WorkloadId(4));
        assert_eq!(seen(&rooms, 7, 9), [2, 1]);
        assert_eq!(rooms.all(WorkspaceId(2), WorkloadId(9)).count(), 0);
    }
}
