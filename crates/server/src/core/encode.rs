//! What a request brought about, as the store takes it.

use super::deck::{Past, Prepared};
use tidegate_store::{Entry, PastRow, Receipt};

/// Owns what an entry borrows.
pub(super) struct Encoded {
    pub(super) prepared: Prepared,
    body: Vec<u8>,
    documents: Vec<(u64, Vec<u8>)>,
}

/// Owns the lists of borrowed pieces.
pub(super) struct Pieces<'a> {
    labels: Vec<Vec<(&'a str, &'a str)>>,
    documents: Vec<(u64, &'a [u8])>,
}

pub(super) fn encode(prepared: Prepared) -> Encoded {
    let documents = prepared.documents.iter().map(|(id, document)| {
        (u64::from(id.0), serde_json::to_vec(document.as_ref()).expect("a document is plain data"))
    });
    let (body, documents) = (prepared.body.encode(), documents.collect());
    Encoded { prepared, body, documents }
}

impl Encoded {
    pub(super) fn pieces(&self) -> Pieces<'_> {
        Pieces {
            labels: self.prepared.past.iter().map(labels).collect(),
            documents: self.documents.iter().map(|(id, bytes)| (*id, bytes.as_slice())).collect(),
        }
    }

    /// What leaves memory.
    pub(super) fn past<'e>(&'e self, pieces: &'e Pieces<'e>) -> Vec<PastRow<'e>> {
        let row = |(past, labels): (&'e Past, &'e Vec<(&'e str, &'e str)>)| PastRow {
            id: u64::from(past.id.0),
            name: &past.name,
            workspace: &past.workspace,
            quota: &past.quota,
            module: past.module,
            state: past.state,
            labels,
            ended_at: past.ended.0,
            body: &past.body,
        };
        self.prepared.past.iter().zip(&pieces.labels).map(row).collect()
    }

    pub(super) fn entry<'e>(&'e self, pieces: &'e Pieces<'e>, past: &'e [PastRow<'e>]) -> Entry<'e> {
        let receipt = self.prepared.receipt.as_ref().map(|receipt| Receipt {
            key: &receipt.key,
            request: &receipt.request,
            status: receipt.status,
            body: &receipt.body,
        });
        Entry {
            first: self.prepared.first,
            events: self.prepared.body.events.len() as u32,
            at: self.prepared.at.0,
            body: &self.body,
            documents: &pieces.documents,
            past,
            receipt,
        }
    }
}

fn labels(past: &Past) -> Vec<(&str, &str)> {
    past.labels.0.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect()
}
