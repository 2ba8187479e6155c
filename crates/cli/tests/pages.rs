//! The tour of the README and the guides: what a reader types works, and prints what the page shows.

mod common;
mod page;

#[test]
fn the_tour_of_the_readme_is_true() {
    page::follow("README.md", None);
}

#[test]
fn the_guide_for_developers_is_true() {
    page::follow("docs/guides/developer.md", None);
}

#[test]
fn the_guide_to_teams_is_true() {
    page::follow("docs/guides/teams.md", None);
}

#[test]
fn the_guide_for_team_administrators_is_true() {
    page::follow("docs/guides/team-administrator.md", None);
}

#[test]
fn the_guide_to_the_scheduling_center_is_true() {
    page::follow("docs/guides/scheduling-center.md", None);
}

#[test]
fn the_guide_to_bills_is_true() {
    page::follow("docs/guides/bills.md", None);
}

#[test]
fn the_guide_for_platform_administrators_is_true() {
    page::follow("docs/guides/platform-administrator.md", None);
}

#[test]
fn the_guide_to_tasks_is_true() {
    page::follow("docs/guides/tasks.md", None);
}

#[test]
fn the_guide_to_dedicated_compute_is_true() {
    page::follow("docs/guides/dedicated.md", None);
}

#[test]
fn the_guide_to_warm_workers_is_true() {
    page::follow("docs/guides/warm-workers.md", None);
}

#[test]
fn the_guide_for_programs_is_true() {
    page::follow("docs/guides/programs.md", None);
}
