-- The truth. `first` is the number of the entry's first event; `hash` chains it to the entry before.
CREATE TABLE log (
    first INTEGER PRIMARY KEY,
    events INTEGER NOT NULL,
    at INTEGER NOT NULL,
    hash BLOB NOT NULL,
    body BLOB NOT NULL
) STRICT;

-- One row: where the log begins and ends, and how many rows lie beside it. Written with every append, so that a log
-- that lost its end, or a table that fell behind, is noticed.
CREATE TABLE head (
    id INTEGER PRIMARY KEY CHECK (id = 0),
    base INTEGER NOT NULL,
    base_hash BLOB NOT NULL,
    next INTEGER NOT NULL,
    at INTEGER NOT NULL,
    hash BLOB NOT NULL,
    documents INTEGER NOT NULL,
    past INTEGER NOT NULL,
    receipts INTEGER NOT NULL
) STRICT;
INSERT INTO head VALUES (0, 0, zeroblob(16), 0, 0, zeroblob(16), 0, 0, 0);

CREATE TABLE documents (
    id INTEGER PRIMARY KEY,
    sum BLOB NOT NULL,
    body BLOB NOT NULL
) STRICT;

-- Narrow, so that a filter without an index reads little; the bodies lie in a table of their own.
CREATE TABLE past (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    workspace TEXT NOT NULL,
    quota TEXT NOT NULL,
    module TEXT NOT NULL,
    state TEXT NOT NULL,
    labels TEXT NOT NULL,
    ended_at INTEGER NOT NULL,
    sum BLOB NOT NULL
) STRICT;
CREATE INDEX past_by_name ON past (name);
CREATE INDEX past_by_quota ON past (quota);
CREATE TABLE past_bodies (
    id INTEGER PRIMARY KEY,
    body BLOB NOT NULL
) STRICT;

-- Numbered in the order of time, so that sweeping takes from one end.
CREATE TABLE receipts (
    number INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    request BLOB NOT NULL,
    status INTEGER NOT NULL,
    at INTEGER NOT NULL,
    sum BLOB NOT NULL,
    body BLOB NOT NULL
) STRICT;

-- A snapshot exists once its row here does; its parts are written before.
CREATE TABLE snapshots (
    next INTEGER PRIMARY KEY,
    format INTEGER NOT NULL,
    save INTEGER NOT NULL,
    parts INTEGER NOT NULL,
    sum BLOB NOT NULL
) STRICT;
CREATE TABLE snapshot_parts (
    save INTEGER NOT NULL,
    part INTEGER NOT NULL,
    body BLOB NOT NULL,
    UNIQUE (save, part)
) STRICT;

CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    sum BLOB NOT NULL,
    value BLOB NOT NULL
) STRICT;

-- Where the beginning of the log went.
CREATE TABLE archives (
    first INTEGER PRIMARY KEY,
    next INTEGER NOT NULL,
    entries INTEGER NOT NULL,
    hash BLOB NOT NULL,
    file TEXT NOT NULL
) STRICT;
