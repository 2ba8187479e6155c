//! Workloads that have ended and left memory: rows beside the log, found by id, name or filter.

/// A workload that leaves memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct PastRow<'a> {
    pub id: u64,
    pub name: &'a str,
    pub workspace: &'a str,
    pub quota: &'a str,
    pub module: &'a str,
    pub state: &'a str,
    /// Keys and values contain no control characters; the API sees to it.
    pub labels: &'a [(&'a str, &'a str)],
    /// Whose it is, if it is private. Speeds up lists, and is no proof: the body says it, too.
    pub private_of: Option<u64>,
    /// Milliseconds since 1970.
    pub ended_at: u64,
    /// The resource as it was; the store does not look into it.
    pub body: &'a [u8],
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPast {
    pub id: u64,
    pub name: String,
    pub workspace: String,
    pub quota: String,
    pub module: String,
    pub state: String,
    pub ended_at: u64,
    pub body: Vec<u8>,
}

/// Private ones, or others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Privacy {
    #[default]
    Any,
    /// What is not private, and what was written before it was noted.
    Public,
    Private,
    PrivateOf(u64),
}

/// Which past workloads are wanted: all that pass every filter that is given, newest (highest id) first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastQuery {
    pub id: Option<u64>,
    pub name: Option<String>,
    pub name_prefix: Option<String>,
    pub workspace: Option<String>,
    /// With a workspace, an index answers all but `Any`.
    pub privacy: Privacy,
    pub quota: Option<String>,
    pub module: Option<String>,
    pub state: Option<String>,
    /// All of these labels.
    pub labels: Vec<(String, String)>,
    /// Only ids below this one: the last id of the page before.
    pub below: Option<u64>,
    pub limit: usize,
}

impl PastQuery {
    /// All of them, in pages of `limit`.
    pub fn all(limit: usize) -> PastQuery {
        PastQuery {
            id: None,
            name: None,
            name_prefix: None,
            workspace: None,
            privacy: Privacy::Any,
            quota: None,
            module: None,
            state: None,
            labels: Vec::new(),
            below: None,
            limit,
        }
    }

    /// The one with this id.
    pub fn id(id: u64) -> PastQuery {
        PastQuery { id: Some(id), ..PastQuery::all(1) }
    }

    /// The newest with this name.
    pub fn name(name: &str) -> PastQuery {
        PastQuery { name: Some(name.to_owned()), ..PastQuery::all(1) }
    }
}
