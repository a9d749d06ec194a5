-- Brings a project from version 1 to 2: what is new in 2 is empty or says what was true of 1.
CREATE TABLE transfer_call (
    slice INTEGER PRIMARY KEY,
    worker INTEGER NOT NULL,
    is_send INTEGER NOT NULL,
    peer INTEGER,
    channel INTEGER,
    transaction_name INTEGER NOT NULL
);
CREATE TABLE tensor (
    id INTEGER PRIMARY KEY,
    worker INTEGER NOT NULL,
    name TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    dtype TEXT NOT NULL,
    shape TEXT NOT NULL
);
CREATE TABLE tensor_use (
    slice INTEGER NOT NULL,
    tensor INTEGER NOT NULL,
    PRIMARY KEY (slice, tensor)
) WITHOUT ROWID;
CREATE TABLE slice_index (
    first_slice INTEGER PRIMARY KEY,
    args_begin INTEGER NOT NULL,
    args_end INTEGER NOT NULL,
    name_count INTEGER NOT NULL,
    names BLOB NOT NULL
);
CREATE TABLE args_filter (
    first_ordinal INTEGER PRIMARY KEY,
    data BLOB NOT NULL
);
CREATE TABLE memory_chunk (
    id INTEGER PRIMARY KEY,
    worker INTEGER NOT NULL,
    row_count INTEGER NOT NULL,
    raw_min_ns INTEGER NOT NULL,
    raw_max_ns INTEGER NOT NULL,
    raw_bytes INTEGER NOT NULL,
    data BLOB NOT NULL
);
CREATE TABLE dependency_chunk (
    id INTEGER PRIMARY KEY,
    worker INTEGER NOT NULL,
    row_count INTEGER NOT NULL,
    raw_bytes INTEGER NOT NULL,
    data BLOB NOT NULL
);
ALTER TABLE iteration ADD COLUMN is_stated INTEGER NOT NULL DEFAULT 0;

CREATE VIEW transfer AS
    SELECT t.slice, w.rank, s.name, t.is_send, t.peer, t.channel, n.text AS transaction_name,
           s.track, s.start_ns, s.dur_ns, s.bytes
    FROM transfer_call t JOIN worker w ON w.id = t.worker JOIN slice s ON s.id = t.slice
         JOIN name n ON n.id = t.transaction_name;
