//! What requests brought about, as the store takes it.

use super::deck::{Past, Prepared};
use std::ops::Range;
use tidegate_store::{Entry, PastRow, Receipt};

/// Bytes of the buffer that are kept for the next group.
const KEPT: usize = 1 << 20;

/// Writes all entries of a group into one buffer, which is kept: a group is written for each wait for the disk.
#[derive(Debug, Default)]
pub(super) struct Encoder {
    buffer: Vec<u8>,
}

/// Where in the buffer an entry lies, and which of all documents and rows are its own.
struct Written {
    body: Range<usize>,
    documents: Range<usize>,
    past: Range<usize>,
}

impl Encoder {
    /// Hands the entries of a group to `take`.
    pub(super) fn entries<R>(&mut self, group: &[Prepared], take: impl FnOnce(&[Entry<'_>]) -> R) -> R {
        self.buffer.clear();
        self.buffer.shrink_to(KEPT);
        let mut places: Vec<(u64, Range<usize>)> = Vec::with_capacity(group.len());
        let mut past: Vec<&Past> = Vec::new();
        let mut written: Vec<Written> = Vec::with_capacity(group.len());
        for one in group {
            let start = self.buffer.len();
            one.body.encode_into(&mut self.buffer);
            let body = start..self.buffer.len();
            let (documents, rows) = (places.len(), past.len());
            for (id, document) in &one.documents {
                let start = self.buffer.len();
                serde_json::to_writer(&mut self.buffer, document.as_ref()).expect("a document is plain data");
                places.push((u64::from(id.0), start..self.buffer.len()));
            }
            past.extend(&one.past);
            written.push(Written { body, documents: documents..places.len(), past: rows..past.len() });
        }
        let buffer = &self.buffer;
        let documents: Vec<(u64, &[u8])> =
            places.into_iter().map(|(id, place)| (id, &buffer[place])).collect();
        let labels: Vec<Vec<(&str, &str)>> = past.iter().map(|past| labels(past)).collect();
        let rows: Vec<PastRow<'_>> =
            past.iter().zip(&labels).map(|(past, labels)| row(past, labels)).collect();
        let entries: Vec<Entry<'_>> = group
            .iter()
            .zip(written)
            .map(|(one, written)| Entry {
                first: one.first,
                events: one.body.count() as u32,
                at: one.at.0,
                body: &buffer[written.body],
                documents: &documents[written.documents],
                past: &rows[written.past],
                receipt: one.receipt.as_ref().map(receipt),
            })
            .collect();
        take(&entries)
    }
}

fn row<'a>(past: &'a Past, labels: &'a [(&'a str, &'a str)]) -> PastRow<'a> {
    PastRow {
        id: u64::from(past.id.0),
        name: &past.name,
        workspace: &past.workspace,
        quota: &past.quota,
        module: past.module,
        state: past.state,
        labels,
        private_of: past.private_of.map(|owner| u64::from(owner.0)),
        ended_at: past.ended.0,
        body: &past.body,
    }
}

fn receipt(receipt: &super::deck::Receipt) -> Receipt<'_> {
    Receipt { key: &receipt.key, request: &receipt.request, status: receipt.status, body: &receipt.body }
}

fn labels(past: &Past) -> Vec<(&str, &str)> {
    past.labels.0.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect()
}
