-- Longpole project file, version 3. Times are nanoseconds; "raw" ones are the worker's own clock.
-- See README.md for what each table means and for the layout of the BLOBs.
PRAGMA application_id = 1282297964; -- 'LnPl'

CREATE TABLE source_file (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    format TEXT NOT NULL,
    stored_bytes INTEGER NOT NULL,
    status TEXT NOT NULL DEFAULT 'read',
    reason TEXT NOT NULL DEFAULT '',
    modified_ns INTEGER,
    fingerprint TEXT NOT NULL DEFAULT ''
);
CREATE TABLE file_event_count (
    file INTEGER NOT NULL,
    category TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (file, category)
) WITHOUT ROWID;
CREATE TABLE worker (
    id INTEGER PRIMARY KEY,
    rank INTEGER NOT NULL UNIQUE,
    host TEXT NOT NULL,
    world_size INTEGER
);
CREATE TABLE worker_file (
    worker INTEGER NOT NULL,
    file TEXT NOT NULL,
    source_file INTEGER
);
CREATE TABLE track (
    id INTEGER PRIMARY KEY,
    worker INTEGER NOT NULL,
    kind TEXT NOT NULL,
    pid TEXT NOT NULL,
    tid TEXT NOT NULL,
    name TEXT NOT NULL,
    device INTEGER,
    first_slice INTEGER NOT NULL,
    slice_count INTEGER NOT NULL,
    depth_count INTEGER NOT NULL,
    raw_start_ns INTEGER NOT NULL,
    raw_end_ns INTEGER NOT NULL,
    file INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE name (
    id INTEGER PRIMARY KEY,
    text TEXT NOT NULL
);
CREATE TABLE event_count (
    worker INTEGER NOT NULL,
    category TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (worker, category)
) WITHOUT ROWID;
CREATE TABLE collective_call (
    slice INTEGER PRIMARY KEY,
    worker INTEGER NOT NULL,
    kind TEXT NOT NULL,
    process_group TEXT NOT NULL,
    sequence INTEGER,
    bytes INTEGER NOT NULL,
    group_size INTEGER
);
CREATE TABLE sync_call (
    slice INTEGER PRIMARY KEY,
    worker INTEGER NOT NULL,
    wait_on_stream INTEGER,
    wait_on_correlation INTEGER,
    stream INTEGER
);
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
CREATE TABLE iteration (
    worker INTEGER NOT NULL,
    number INTEGER NOT NULL,
    raw_start_ns INTEGER NOT NULL,
    raw_end_ns INTEGER NOT NULL,
    is_stated INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX iteration_by_worker ON iteration (worker);
CREATE TABLE alignment (
    worker INTEGER PRIMARY KEY,
    offset_ns INTEGER NOT NULL,
    drift_ppm REAL NOT NULL,
    drift_from_ns INTEGER NOT NULL,
    residual_ns INTEGER NOT NULL,
    is_reference INTEGER NOT NULL,
    is_known INTEGER NOT NULL
);
CREATE TABLE property (
    key TEXT PRIMARY KEY,
    value NOT NULL
) WITHOUT ROWID;
CREATE TABLE job_metadata (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    text TEXT NOT NULL
);
CREATE TABLE diagnostic (
    code TEXT NOT NULL,
    severity TEXT NOT NULL,
    count INTEGER NOT NULL,
    file TEXT NOT NULL,
    first_offset INTEGER,
    message TEXT NOT NULL,
    loses_records INTEGER NOT NULL,
    PRIMARY KEY (code, file)
) WITHOUT ROWID;
CREATE TABLE strategy (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    created_unix_s INTEGER NOT NULL,
    content TEXT NOT NULL
);
CREATE TABLE note (
    id INTEGER PRIMARY KEY,
    slice INTEGER,
    raw_start_ns INTEGER,
    raw_end_ns INTEGER,
    worker INTEGER,
    text TEXT NOT NULL
);

CREATE TABLE slice_chunk (
    first_slice INTEGER PRIMARY KEY,
    track INTEGER NOT NULL,
    row_count INTEGER NOT NULL,
    raw_min_start_ns INTEGER NOT NULL,
    raw_max_start_ns INTEGER NOT NULL,
    raw_max_end_ns INTEGER NOT NULL
);
CREATE TABLE slice_hot (
    first_slice INTEGER PRIMARY KEY,
    carried BLOB,
    data BLOB NOT NULL
);
CREATE TABLE slice_links (
    first_slice INTEGER PRIMARY KEY,
    raw_bytes INTEGER NOT NULL,
    data BLOB NOT NULL
);
CREATE TABLE args_block (
    first_ordinal INTEGER PRIMARY KEY,
    count INTEGER NOT NULL,
    raw_bytes INTEGER NOT NULL,
    data BLOB NOT NULL
);
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
CREATE TABLE level (
    track INTEGER NOT NULL,
    level INTEGER NOT NULL,
    width_ns INTEGER NOT NULL,
    bin_count INTEGER NOT NULL,
    PRIMARY KEY (track, level)
) WITHOUT ROWID;
CREATE TABLE level_chunk (
    id INTEGER PRIMARY KEY,
    track INTEGER NOT NULL,
    level INTEGER NOT NULL,
    raw_min_start_ns INTEGER NOT NULL,
    raw_max_start_ns INTEGER NOT NULL,
    raw_max_end_ns INTEGER NOT NULL,
    carried_count INTEGER,
    own_count INTEGER NOT NULL,
    data BLOB NOT NULL
);
CREATE INDEX level_chunk_by_track ON level_chunk (track, level, raw_min_start_ns);

CREATE VIEW collective AS
    SELECT c.slice, w.rank, s.name, c.kind, c.process_group, c.sequence, c.bytes, c.group_size,
           s.track, s.start_ns, s.dur_ns
    FROM collective_call c JOIN worker w ON w.id = c.worker JOIN slice s ON s.id = c.slice;
CREATE VIEW transfer AS
    SELECT t.slice, w.rank, s.name, t.is_send, t.peer, t.channel, n.text AS transaction_name,
           s.track, s.start_ns, s.dur_ns, s.bytes
    FROM transfer_call t JOIN worker w ON w.id = t.worker JOIN slice s ON s.id = t.slice
         JOIN name n ON n.id = t.transaction_name;
CREATE VIEW step AS
    SELECT w.rank, i.number, i.raw_start_ns + coalesce(a.offset_ns, 0)
               + CAST(coalesce(a.drift_ppm * 1e-6 * (i.raw_start_ns - a.drift_from_ns), 0) AS INTEGER)
               AS start_ns,
           i.raw_end_ns - i.raw_start_ns AS dur_ns, i.raw_start_ns
    FROM iteration i JOIN worker w ON w.id = i.worker LEFT JOIN alignment a ON a.worker = i.worker;

-- A new project is unfinished until its import ends; see unfinished_import.h.
INSERT INTO property VALUES ('import.unfinished', '');
