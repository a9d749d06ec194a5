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
CREATE INDEX tensor_by_worker ON tensor (worker, name);
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
CREATE TABLE file_event_count (
    file INTEGER NOT NULL,
    category TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (file, category)
) WITHOUT ROWID;
ALTER TABLE source_file ADD COLUMN status TEXT NOT NULL DEFAULT 'read';
ALTER TABLE source_file ADD COLUMN reason TEXT NOT NULL DEFAULT '';
ALTER TABLE worker_file ADD COLUMN source_file INTEGER;
ALTER TABLE track ADD COLUMN file INTEGER NOT NULL DEFAULT 0;
ALTER TABLE iteration ADD COLUMN is_stated INTEGER NOT NULL DEFAULT 0;
CREATE INDEX iteration_by_worker ON iteration (worker);

-- A rank of version 1 has one file.
UPDATE worker_file SET source_file = (SELECT min(id) FROM source_file WHERE name = worker_file.file);
UPDATE track SET file = coalesce(
    (SELECT min(source_file) FROM worker_file WHERE worker = track.worker), 0);
INSERT INTO file_event_count
    SELECT f.source_file, e.category, sum(e.count)
    FROM worker_file f JOIN event_count e ON e.worker = f.worker
    WHERE f.source_file IS NOT NULL GROUP BY 1, 2;

CREATE VIEW transfer AS
    SELECT t.slice, w.rank, s.name, t.is_send, t.peer, t.channel, n.text AS transaction_name,
           s.track, s.start_ns, s.dur_ns, s.bytes
    FROM transfer_call t JOIN worker w ON w.id = t.worker JOIN slice s ON s.id = t.slice
         JOIN name n ON n.id = t.transaction_name;
