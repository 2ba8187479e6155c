//! What every store must do, as named cases. A new store passes them all before it is used.
//!
//! ```no_run
//! # fn fresh() -> Box<dyn tidegate_store::contract::Fixture> { unreachable!() }
//! for case in tidegate_store::contract::CASES {
//!     println!("{}", case.name);
//!     (case.run)(&*fresh());
//! }
//! ```

mod chores;
mod log;
mod sample;
mod sides;

use std::fmt;
use std::path::Path;

use crate::store::Store;

/// An empty place to keep one store in.
pub trait Fixture {
    /// Opens the store, empty at first. Called again after the one before was dropped, it finds what that one left.
    fn open(&self) -> Box<dyn Store>;

    /// A directory for files that a case wants written.
    fn scratch(&self) -> &Path;
}

/// A case fails by panicking.
#[derive(Clone, Copy)]
pub struct Case {
    pub name: &'static str,
    pub run: fn(&dyn Fixture),
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

macro_rules! cases {
    ($($module:ident::$name:ident),* $(,)?) => {
        /// All of them. Each wants a fixture of its own.
        pub const CASES: &[Case] = &[$(Case { name: stringify!($name), run: $module::$name }),*];
    };
}

cases![
    log::a_new_store_is_empty,
    log::what_is_appended_is_read_back,
    log::an_entry_is_found_by_any_of_its_events,
    log::pages_continue_where_the_last_one_ended,
    log::a_group_is_all_or_nothing,
    log::entries_must_follow_each_other,
    log::time_does_not_run_backwards,
    log::numbers_up_to_the_limit_are_kept,
    log::an_empty_group_is_nothing,
    log::everything_survives_a_restart,
    log::readers_see_what_is_durable,
    log::any_bytes_are_kept,
    sides::documents_are_found_by_id_and_in_pages,
    sides::a_document_can_be_overwritten,
    sides::past_is_found_by_id_name_and_filter,
    sides::past_is_paged_newest_first,
    sides::a_receipt_is_kept_and_overwritten,
    sides::meta_is_kept_and_overwritten,
    chores::a_snapshot_is_read_back,
    chores::the_two_newest_snapshots_are_kept,
    chores::a_snapshot_stands_between_entries,
    chores::old_receipts_are_swept,
    chores::nothing_is_archived_before_two_snapshots_cover_it,
    chores::the_beginning_of_the_log_is_archived,
    chores::everything_can_be_archived,
    chores::an_archive_overwrites_nothing,
    chores::all_is_well_in_a_used_store,
    chores::chores_run_beside_appends,
];
