//! Who uses how much. Looks at every workload: for people, not for decisions.

use crate::core::world::World;
use std::collections::BTreeMap;
use tidegate_api::amounts::Figure;
use tidegate_api::name::Name;
use tidegate_api::usage::{AccountUsage, QuotaUsage, RoomUsage, Usage, UserUsage, WorkspaceUsage};
use tidegate_engine::ids::{MemberId, QuotaId, WorkspaceId};
use tidegate_engine::resources::Resources;
use tidegate_engine::unit::UnitState;
use tidegate_engine::words::Class;
use tidegate_engine::workload::{Workload, WorkloadState};
use tidegate_identity::people::ADMIN;

/// Sums of one user, workspace or quota.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    submitted: u32,
    queued: u32,
    running: u32,
    requested: i64,
    drawn: Resources,
    lent: Resources,
    borrowed: Resources,
}

impl Sum {
    fn count(&mut self, w: &Workload) {
        self.submitted += 1;
        self.queued += u32::from(w.state.is_waiting());
        self.running += u32::from(w.state == WorkloadState::Running);
        self.requested += w.spec.gpus();
    }

    fn add(&mut self, other: &Sum) {
        self.submitted += other.submitted;
        self.queued += other.queued;
        self.running += other.running;
        self.requested += other.requested;
        self.drawn = self.drawn.plus(&other.drawn);
        self.lent = self.lent.plus(&other.lent);
        self.borrowed = self.borrowed.plus(&other.borrowed);
    }

    fn shown(&self) -> Usage {
        Usage {
            submitted: self.submitted,
            queued: self.queued,
            running: self.running,
            requested: Figure(self.requested),
            drawn: Figure(self.drawn.all_gpus()),
            lent: Figure(self.lent.all_gpus()),
            borrowed: Figure(self.borrowed.all_gpus()),
        }
    }
}

/// A workload that has not ended, and each of its draws: account, class, dimension and amount.
fn live(world: &World) -> impl Iterator<Item = &Workload> {
    world.engine.workloads().filter(|w| !w.state.is_ended())
}

fn each_draw(
    world: &World,
    w: &Workload,
    mut see: impl FnMut(QuotaId, bool, &mut dyn FnMut(&mut Resources)),
) {
    for unit in world.engine.units(w.id).filter(|unit| unit.state != UnitState::Held) {
        for draw in &unit.grant.draws {
            let given_back = draw.class != Class::Firm && draw.account != w.spec.quota;
            see(draw.account, given_back, &mut |sum| sum[draw.dimension] += draw.amount);
        }
    }
}

fn owner(w: &Workload) -> MemberId {
    w.spec.owner.map_or(ADMIN, |owner| owner.member)
}

/// Users by workspace, those whom the reader may not see together in one row at the end.
fn rows(
    world: &World,
    sums: &BTreeMap<(WorkspaceId, MemberId), Sum>,
    sees: impl Fn(WorkspaceId) -> bool,
) -> (Vec<UserUsage>, Vec<RoomUsage>) {
    let name = |id: MemberId| world.people.user(id).and_then(|user| user.name.parse::<Name>().ok());
    let (mut users, mut others) = (Vec::new(), None::<Sum>);
    let mut rooms: BTreeMap<WorkspaceId, Sum> = BTreeMap::new();
    for ((room, user), sum) in sums {
        if !sees(*room) {
            others.get_or_insert_default().add(sum);
            continue;
        }
        rooms.entry(*room).or_default().add(sum);
        let workspace = Some(world.room_name(*room));
        users.push(UserUsage { user: name(*user), workspace, usage: sum.shown() });
    }
    let room = |(id, sum): (WorkspaceId, Sum)| RoomUsage {
        workspace: Some(world.room_name(id)),
        usage: sum.shown(),
    };
    let mut rooms: Vec<RoomUsage> = rooms.into_iter().map(room).collect();
    if let Some(others) = others {
        users.push(UserUsage { user: None, workspace: None, usage: others.shown() });
        rooms.push(RoomUsage { workspace: None, usage: others.shown() });
    }
    (users, rooms)
}

/// Who uses a quota. `sees` says which workspaces the reader knows.
pub fn of_quota(world: &World, id: QuotaId, sees: impl Fn(WorkspaceId) -> bool) -> Option<QuotaUsage> {
    let quota = world.engine.quota(id)?.name.parse().ok()?;
    let mut sums: BTreeMap<(WorkspaceId, MemberId), Sum> = BTreeMap::new();
    for w in live(world) {
        let here = w.spec.quota == id;
        let mut sum = Sum::default();
        let mut touches = here;
        each_draw(world, w, |account, given_back, add| {
            if account == id {
                touches = true;
                add(&mut sum.drawn);
            }
            match (here, account == id) {
                (false, true) if given_back => add(&mut sum.lent),
                (true, false) if given_back => add(&mut sum.borrowed),
                _ => {}
            }
        });
        if here {
            sum.count(w);
        }
        if touches {
            sums.entry((w.spec.workspace, owner(w))).or_default().add(&sum);
        }
    }
    let total = sums.values().fold(Sum::default(), |mut total, sum| {
        total.add(sum);
        total
    });
    let (users, workspaces) = rows(world, &sums, sees);
    Some(QuotaUsage { quota, total: total.shown(), users, workspaces })
}

/// What every workspace uses in which anything lives.
pub fn by_workspace(world: &World) -> BTreeMap<WorkspaceId, Usage> {
    let mut rooms: BTreeMap<WorkspaceId, Sum> = BTreeMap::new();
    for w in live(world) {
        let sum = rooms.entry(w.spec.workspace).or_default();
        sum.count(w);
        each_draw(world, w, |_, given_back, add| {
            add(&mut sum.drawn);
            if given_back {
                add(&mut sum.borrowed);
            }
        });
    }
    rooms.into_iter().map(|(id, sum)| (id, sum.shown())).collect()
}

/// What a workspace uses, in all of its quotas.
pub fn of_workspace(world: &World, id: WorkspaceId) -> WorkspaceUsage {
    let mut users: BTreeMap<(WorkspaceId, MemberId), Sum> = BTreeMap::new();
    let attached = world.people.workspace(id).map_or(&[][..], |room| &room.quotas);
    let mut quotas: BTreeMap<QuotaId, Sum> = attached.iter().map(|quota| (*quota, Sum::default())).collect();
    let mut total = Sum::default();
    for w in live(world) {
        let own = w.spec.workspace == id;
        let mut sum = Sum::default();
        each_draw(world, w, |account, given_back, add| {
            if own {
                add(&mut sum.drawn);
                if given_back {
                    add(&mut sum.borrowed);
                }
            } else if let Some(lender) = quotas.get_mut(&account).filter(|_| given_back) {
                add(&mut lender.lent);
                add(&mut total.lent);
            }
        });
        if own {
            sum.count(w);
            users.entry((id, owner(w))).or_default().add(&sum);
            quotas.entry(w.spec.quota).or_default().add(&sum);
            total.add(&sum);
        }
    }
    let account = |(id, sum): (QuotaId, Sum)| {
        let quota = world.engine.quota(id)?.name.parse().ok()?;
        Some(AccountUsage { quota, usage: sum.shown() })
    };
    let (users, _) = rows(world, &users, |_| true);
    let quotas = quotas.into_iter().filter_map(account).collect();
    WorkspaceUsage { workspace: world.room_name(id), total: total.shown(), users, quotas }
}
