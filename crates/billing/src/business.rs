//! Everything that the business keeps: what all changes together have made.

use crate::budget::Budget;
use crate::calendar::Calendar;
use crate::dedicated::{ConfigId, RequestId, ResourceConfig, ResourceRequest};
use crate::price::{PriceBook, PriceBookId};
use crate::record::{Change, Compute, ComputeKind, Correction, CorrectionId, Record};
use crate::template::{Template, TemplateId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use tidegate_engine::ids::{QuotaId, Span, Tick, WorkspaceId};
use tidegate_engine::resources::Resources;

/// Each table is shared until it changes: a copy of all costs nothing, a change copies one table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Business {
    books: Arc<BTreeMap<PriceBookId, Versioned<PriceBook>>>,
    templates: Arc<BTreeMap<TemplateId, Versioned<Template>>>,
    compute: Arc<BTreeMap<QuotaId, Compute>>,
    corrections: Arc<BTreeMap<CorrectionId, Correction>>,
    requests: Arc<BTreeMap<RequestId, Versioned<ResourceRequest>>>,
    configs: Arc<BTreeMap<ConfigId, Versioned<ResourceConfig>>>,
    budgets: Arc<BTreeMap<WorkspaceId, Versioned<Budget>>>,
    next_book: u32,
    next_template: u32,
    next_correction: u32,
    next_request: u32,
    next_config: u32,
    // Found by other things than their numbers.
    book_names: Arc<BTreeMap<Box<str>, PriceBookId>>,
    template_names: Arc<BTreeMap<TemplateName, TemplateId>>,
    config_quotas: Arc<BTreeMap<QuotaId, ConfigId>>,
    /// What is booked of each supply: follows from the configs.
    #[serde(skip)]
    calendars: Arc<BTreeMap<QuotaId, Calendar>>,
}

/// A workspace's, or the platform's.
type TemplateName = (Option<WorkspaceId>, Box<str>);

/// A record and the number of its last change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Versioned<T> {
    pub record: T,
    pub version: u64,
}

impl Business {
    /// Takes in a change; the only place where anything changes. `number` is its own in the log.
    pub fn apply(&mut self, number: u64, change: &Change) {
        self.keep_calendars(change);
        if let Some(before) = &change.before {
            self.remove(before);
        }
        if let Some(after) = &change.after {
            self.insert((**after).clone(), number);
        }
    }

    /// Keeps the calendars. What is only held does not concern them.
    fn keep_calendars(&mut self, change: &Change) {
        let config = |side: &Option<Box<Record>>| match side.as_deref() {
            Some(Record::ResourceConfig(config)) => Some(config.clone()),
            _ => None,
        };
        let (before, after) = (config(&change.before), config(&change.after));
        if let (Some(before), Some(after)) = (&before, &after)
            && before.is_booked_as(after)
        {
            return;
        }
        let calendars = Arc::make_mut(&mut self.calendars);
        for (config, is) in before.iter().map(|config| (config, false)).chain(after.iter().map(|c| (c, true)))
        {
            let calendar = calendars.entry(config.supply).or_default();
            let amount = config.terms.booked();
            for (from, to) in config.bookings() {
                match is {
                    true => calendar.insert(from, to, &amount),
                    false => calendar.remove(from, to, &amount),
                }
            }
            if *calendar == Calendar::default() {
                calendars.remove(&config.supply);
            }
        }
    }

    /// Makes what follows from the records, for one that was read from a snapshot.
    pub fn index(&mut self) {
        self.calendars = Arc::default();
        let configs = self.configs.clone();
        for config in configs.values() {
            let after = Some(Box::new(Record::ResourceConfig(config.record.clone())));
            self.keep_calendars(&Change { at: Tick::ZERO, before: None, after });
        }
    }

    fn remove(&mut self, record: &Record) {
        match record {
            Record::PriceBook(book) => {
                Arc::make_mut(&mut self.books).remove(&book.id);
                Arc::make_mut(&mut self.book_names).remove(&book.name);
            }
            Record::Template(template) => {
                Arc::make_mut(&mut self.templates).remove(&template.id);
                Arc::make_mut(&mut self.template_names).remove(&(template.workspace, template.name.clone()));
            }
            Record::Compute(compute) => {
                Arc::make_mut(&mut self.compute).remove(&compute.quota);
            }
            Record::Correction(correction) => {
                Arc::make_mut(&mut self.corrections).remove(&correction.id);
            }
            Record::ResourceRequest(request) => {
                Arc::make_mut(&mut self.requests).remove(&request.id);
            }
            Record::ResourceConfig(config) => {
                Arc::make_mut(&mut self.configs).remove(&config.id);
                Arc::make_mut(&mut self.config_quotas).remove(&config.quota);
            }
            Record::Budget(budget) => {
                Arc::make_mut(&mut self.budgets).remove(&budget.workspace);
            }
        }
    }

    fn insert(&mut self, record: Record, version: u64) {
        match record {
            Record::PriceBook(record) => {
                self.next_book = self.next_book.max(record.id.0 + 1);
                Arc::make_mut(&mut self.book_names).insert(record.name.clone(), record.id);
                Arc::make_mut(&mut self.books).insert(record.id, Versioned { record, version });
            }
            Record::Template(record) => {
                self.next_template = self.next_template.max(record.id.0 + 1);
                let name = (record.workspace, record.name.clone());
                Arc::make_mut(&mut self.template_names).insert(name, record.id);
                Arc::make_mut(&mut self.templates).insert(record.id, Versioned { record, version });
            }
            Record::Compute(record) => {
                Arc::make_mut(&mut self.compute).insert(record.quota, record);
            }
            Record::Correction(record) => {
                self.next_correction = self.next_correction.max(record.id.0 + 1);
                Arc::make_mut(&mut self.corrections).insert(record.id, record);
            }
            Record::ResourceRequest(record) => {
                self.next_request = self.next_request.max(record.id.0 + 1);
                Arc::make_mut(&mut self.requests).insert(record.id, Versioned { record, version });
            }
            Record::ResourceConfig(record) => {
                self.next_config = self.next_config.max(record.id.0 + 1);
                Arc::make_mut(&mut self.config_quotas).insert(record.quota, record.id);
                Arc::make_mut(&mut self.configs).insert(record.id, Versioned { record, version });
            }
            Record::Budget(record) => {
                Arc::make_mut(&mut self.budgets).insert(record.workspace, Versioned { record, version });
            }
        }
    }

    pub fn next_book(&self) -> PriceBookId {
        PriceBookId(self.next_book)
    }

    pub fn next_template(&self) -> TemplateId {
        TemplateId(self.next_template)
    }

    pub fn next_correction(&self) -> CorrectionId {
        CorrectionId(self.next_correction)
    }

    pub fn next_request(&self) -> RequestId {
        RequestId(self.next_request)
    }

    pub fn next_config(&self) -> ConfigId {
        ConfigId(self.next_config)
    }

    pub fn book(&self, id: PriceBookId) -> Option<&Versioned<PriceBook>> {
        self.books.get(&id)
    }

    pub fn book_named(&self, name: &str) -> Option<&Versioned<PriceBook>> {
        self.books.get(self.book_names.get(name)?)
    }

    pub fn books(&self) -> impl DoubleEndedIterator<Item = &Versioned<PriceBook>> {
        self.books.values()
    }

    pub fn template(&self, id: TemplateId) -> Option<&Versioned<Template>> {
        self.templates.get(&id)
    }

    /// The template of this name of a workspace, or of the platform.
    pub fn template_named(&self, workspace: Option<WorkspaceId>, name: &str) -> Option<&Versioned<Template>> {
        self.templates.get(self.template_names.get(&(workspace, name.into()))?)
    }

    pub fn templates(&self) -> impl DoubleEndedIterator<Item = &Versioned<Template>> {
        self.templates.values()
    }

    pub fn compute(&self, quota: QuotaId) -> Option<&Compute> {
        self.compute.get(&quota)
    }

    /// Quotas where tasks of everybody run, ascending.
    pub fn shared(&self) -> impl Iterator<Item = QuotaId> {
        self.of_kind(ComputeKind::Shared)
    }

    /// Quotas that dedicated compute is taken from, ascending.
    pub fn supplies(&self) -> impl Iterator<Item = QuotaId> {
        self.of_kind(ComputeKind::Dedicated)
    }

    fn of_kind(&self, kind: ComputeKind) -> impl Iterator<Item = QuotaId> {
        self.compute.values().filter(move |compute| compute.kind == kind).map(|compute| compute.quota)
    }

    pub fn request(&self, id: RequestId) -> Option<&Versioned<ResourceRequest>> {
        self.requests.get(&id)
    }

    pub fn requests(&self) -> impl DoubleEndedIterator<Item = &Versioned<ResourceRequest>> {
        self.requests.values()
    }

    pub fn config(&self, id: ConfigId) -> Option<&Versioned<ResourceConfig>> {
        self.configs.get(&id)
    }

    /// The config whose quota this is, or was.
    pub fn config_of(&self, quota: QuotaId) -> Option<&Versioned<ResourceConfig>> {
        self.configs.get(self.config_quotas.get(&quota)?)
    }

    pub fn configs(&self) -> impl DoubleEndedIterator<Item = &Versioned<ResourceConfig>> {
        self.configs.values()
    }

    /// The most that is booked of a supply at any instant of `[from, to)`.
    pub fn booked(&self, supply: QuotaId, from: Tick, to: Tick) -> Resources {
        self.calendars.get(&supply).map_or_else(Resources::default, |calendar| calendar.most(from, to))
    }

    /// The earliest start from which an amount may be booked for a length of time; `None`: the supply never has it.
    pub fn earliest(
        &self,
        supply: QuotaId,
        not_before: Tick,
        length: Span,
        amount: &Resources,
        has: &Resources,
    ) -> Option<Tick> {
        let none = Calendar::default();
        self.calendars.get(&supply).unwrap_or(&none).earliest(not_before, length, amount, has)
    }

    /// The first instant from `from` on at which more is booked of a supply than it would have.
    pub fn first_over(&self, supply: QuotaId, from: Tick, has: &Resources) -> Option<Tick> {
        self.calendars.get(&supply)?.first_over(from, has)
    }

    /// The budget of a workspace.
    pub fn budget(&self, workspace: WorkspaceId) -> Option<&Versioned<Budget>> {
        self.budgets.get(&workspace)
    }

    pub fn budgets(&self) -> impl DoubleEndedIterator<Item = &Versioned<Budget>> {
        self.budgets.values()
    }

    pub fn correction(&self, id: CorrectionId) -> Option<&Correction> {
        self.corrections.get(&id)
    }

    pub fn corrections(&self) -> impl DoubleEndedIterator<Item = &Correction> {
        self.corrections.values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::money::Currency;
    use tidegate_engine::ids::Tick;

    fn put(business: &mut Business, number: u64, before: Option<Record>, after: Option<Record>) {
        let boxed = |record: Option<Record>| record.map(Box::new);
        business.apply(number, &Change { at: Tick(number), before: boxed(before), after: boxed(after) });
    }

    #[test]
    fn what_changes_is_found_as_it_is_now_and_numbers_are_not_used_again() {
        let mut business = Business::default();
        let book = PriceBook {
            id: business.next_book(),
            name: "default".into(),
            currency: Currency::new("EUR", 2).expect("a currency"),
            versions: Vec::new(),
            created: Tick(1),
        };
        put(&mut business, 3, None, Some(Record::PriceBook(book.clone())));
        assert_eq!(business.book_named("default").map(|book| book.version), Some(3));
        let renamed = PriceBook { name: "list".into(), ..book.clone() };
        put(&mut business, 4, Some(Record::PriceBook(book)), Some(Record::PriceBook(renamed.clone())));
        assert!(business.book_named("default").is_none());
        assert_eq!(business.book(renamed.id).map(|book| book.version), Some(4));
        put(&mut business, 5, Some(Record::PriceBook(renamed)), None);
        assert_eq!((business.books().count(), business.next_book()), (0, PriceBookId(1)));
    }

    #[test]
    fn a_quota_is_shared_from_when_it_is_marked_until_it_is_not() {
        let mut business = Business::default();
        let mark = Compute { quota: QuotaId(7), kind: ComputeKind::Shared, since: Tick(1) };
        put(&mut business, 1, None, Some(Record::Compute(mark)));
        assert_eq!(business.shared().collect::<Vec<_>>(), [QuotaId(7)]);
        put(&mut business, 2, Some(Record::Compute(mark)), None);
        assert!(business.compute(QuotaId(7)).is_none());
    }
}
