//! Candidates of a level one by one, the cheapest first, without looking at the rest.

use super::hunt::Hunt;
use super::level::{Level, RECALL};
use crate::herd::{Cursor, Herd, class_tag, module_tag};
use crate::ids::{Tick, WorkloadId};
use crate::words::{Class, ModuleSet, Priority};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Order of candidates: the work lost, then the latest start, then the id.
type Next = Reverse<(u128, Reverse<Tick>, WorkloadId, u32, u32, usize)>;

#[derive(Debug)]
pub(super) struct Stream<'h, 'a> {
    hunt: &'h Hunt<'a>,
    level: Level,
    /// The band being walked; `None` before the first.
    band: Option<u8>,
    cursors: Vec<Cursor<'a>>,
    heap: BinaryHeap<Next>,
}

impl<'h, 'a> Stream<'h, 'a> {
    pub(super) fn new(hunt: &'h Hunt<'a>, level: Level) -> Stream<'h, 'a> {
        Stream { hunt, level, band: None, cursors: Vec::new(), heap: BinaryHeap::new() }
    }

    fn open(&mut self, band: Priority) {
        let hunt = self.hunt;
        let s = hunt.s;
        let tree = &s.tree;
        self.cursors.clear();
        let mut tags: Vec<(&'a Herd, u8)> = Vec::new();
        let classes = [Class::Idle, Class::Loan].into_iter().filter(|&c| c < hunt.tiers.class);
        let recalls = self.level.tier > RECALL || band <= self.level.band;
        if recalls {
            for class in
                classes.filter(|&c| c == Class::Idle || self.level.dearer || self.level.tier > RECALL)
            {
                if hunt.for_nodes {
                    tags.push((&s.low[hunt.pool.index()], class_tag(class)));
                    continue;
                }
                tags.push((&s.herds[hunt.quota.index()].borrowers, class_tag(class)));
                if hunt.tiers.rules.child {
                    tags.extend(
                        tree.descendants(hunt.quota)
                            .iter()
                            .map(|a| (&s.herds[a.index()].borrowers, class_tag(class))),
                    );
                }
                if hunt.tiers.rules.siblings.is_some() {
                    tags.extend(
                        tree.siblings(hunt.quota).map(|a| (&s.herds[a.index()].borrowers, class_tag(class))),
                    );
                }
            }
        }
        let herds = &s.herds[hunt.quota.index()];
        let mut by_module = |herd: Option<&'a Herd>, modules: ModuleSet| {
            if let Some(h) = herd {
                tags.extend(modules.iter().map(|m| (h, module_tag(m))));
            }
        };
        if let Some(p) = hunt.tiers.self_level.filter(|p| p.low().contains(band)) {
            by_module(herds.own.as_ref(), p.modules());
            if p.reaches_siblings()
                && let Some(parent) = tree[hunt.quota].parent
            {
                by_module(s.herds[parent.index()].children.as_ref(), p.modules());
            }
        }
        if let Some(p) = hunt.tiers.child_level.filter(|p| p.victims().contains(band)) {
            by_module(herds.below.as_ref(), p.modules());
        }
        for (herd, tag) in tags {
            for bucket in herd.buckets(band, tag) {
                self.cursors.push(Cursor::new(bucket));
                self.advance(self.cursors.len() - 1);
            }
        }
    }

    /// Puts the next live unit of a bucket on the heap.
    fn advance(&mut self, cursor: usize) {
        let walk = &mut self.cursors[cursor];
        let rate = walk.bucket.rate as u128;
        let units = &self.hunt.s.units;
        if let Some(mark) = walk.find(|m| units.get(m.unit).is_some_and(|u| u.stamp == m.stamp)) {
            let lost = rate * u128::from(self.hunt.now.since(mark.saved_at).0);
            self.heap.push(Reverse((lost, mark.started, mark.workload, mark.number, mark.unit, cursor)));
        }
    }
}

impl Iterator for Stream<'_, '_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        loop {
            if let Some(Reverse((.., unit, cursor))) = self.heap.pop() {
                self.advance(cursor);
                if self.hunt.named_at(self.level, &self.hunt.s.units[unit]).is_some() {
                    return Some(unit);
                }
                continue;
            }
            let band = self.band.map_or(1, |b| b + 1);
            self.band = Some(band);
            self.open(Priority::new(band)?);
        }
    }
}
