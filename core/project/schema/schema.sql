-- Longpole project file, version 1. Times are nanoseconds; "raw" ones are the worker's own clock
-- (in the tables that are no view: that of its file, see file_clock).
-- Any SQLite program reads these tables. Unsigned 64-bit numbers above 2^63 appear negative, as
-- SQLite has signed integers only. BLOBs are little-endian; their layouts stand at their tables.
--
-- Slices, memory events and dependencies are chunks. `longpole query`, or an SQLite program that
-- has loaded the extension build/.../lib/longpole, sees them as read-only tables; the views need
-- them, too. (sqlite3: `.load FILE`; Python: enable_load_extension(True), load_extension("FILE").)
-- NULL: the trace has no value.
--
-- slice: one row a slice. Conditions on id, track, rank, name (=) and id, start_ns, raw_start_ns
-- (ranges) leave out whole chunks; GROUP BY and ORDER BY one of name, category, phase, role, rank,
-- track_name, track need no sorting up to 4 million slices.
--   id               dense over the project; contiguous in a track, by (start, longest first)
--   track, rank, track_name  where it ran: track.id, the rank's number
--   name             as in the trace
--   category         other, cpu_op, user_annotation, python_function, runtime, kernel, comm_kernel,
--                    memcpy, memset, sync, gpu_annotation, overhead, comm_op, span
--   phase            none, forward, backward, optimizer, input
--   role             what it is coloured as: forward, backward, optimizer, communication, memory,
--                    host, input, annotation
--   depth            nesting level, 0 outermost
--   start_ns, raw_start_ns, dur_ns  start on the reference rank's clock; on its own; duration
--   correlation      ties a runtime call to its device activities (same rank, same track.file)
--   external_id      ties a framework op to runtime calls and kernels (same rank, same track.file)
--   sequence, forward_thread  autograd sequence number; thread of the forward op
--   bytes            payload of a copy or a communication op; size of a framework op's inputs
--   args             the record's arguments, JSON text: json_extract(args, '$."Input Dims"')
--   node             of the framework's own graph (Kineto's record function id, a node of an
--                    execution trace); see dependency
-- slice_total: one row for the slices of one track, name, category and phase (rank, track,
--   track_name, name, category, phase, role, slice_count, dur_ns, min_dur_ns, max_dur_ns); its sums
--   are taken without SQLite, five times as fast as of slice.
-- memory: one row an allocation or release: rank, time_ns (reference clock), raw_time_ns, device
--   (NULL: the host), address, delta_bytes (negative: released), allocated_bytes, reserved_bytes
--   (both after the event). Reads only the chunks of one rank where a query says `rank = N`.
-- dependency: one row an edge of the framework's own graph: rank, kind (data, control, sync), and
--   either from_node, to_node (values of slice.node) or from_name, to_name (ops of every
--   iteration). The later op is `to`. Reads by rank as memory does.
PRAGMA application_id = 1282297964; -- 'LnPl'

-- A file of the bundle: its name relative to the folder of the project; status: read, skipped,
-- failed, and why; when it was written (since 1970) and what tells its content from another of its
-- size, NULL and empty where unknown.
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
-- The records of a source_file by its own category names.
CREATE TABLE file_event_count (
    file INTEGER NOT NULL,
    category TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (file, category)
) WITHOUT ROWID;
-- A rank.
CREATE TABLE worker (
    id INTEGER PRIMARY KEY,
    rank INTEGER NOT NULL UNIQUE,
    host TEXT NOT NULL,
    world_size INTEGER
);
-- Its files by name and source_file.id.
CREATE TABLE worker_file (
    worker INTEGER NOT NULL,
    file TEXT NOT NULL,
    source_file INTEGER
);
-- A timeline row of a source_file. kind: host_thread, stream, stream_sync, communication,
-- annotation, other.
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
-- Interned strings; 0 is the empty one.
CREATE TABLE name (
    id INTEGER PRIMARY KEY,
    text TEXT NOT NULL
);
-- Records of a rank's source by its own category names, stored as slices or not.
CREATE TABLE event_count (
    worker INTEGER NOT NULL,
    category TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (worker, category)
) WITHOUT ROWID;
-- One rank's part of a collective; raw_ready_ns: when the rank's data was ready for it.
CREATE TABLE collective_call (
    slice INTEGER PRIMARY KEY,
    worker INTEGER NOT NULL,
    kind TEXT NOT NULL,
    process_group TEXT NOT NULL,
    sequence INTEGER,
    bytes INTEGER NOT NULL,
    group_size INTEGER,
    raw_ready_ns INTEGER
);
-- A recorded wait.
CREATE TABLE sync_call (
    slice INTEGER PRIMARY KEY,
    worker INTEGER NOT NULL,
    wait_on_stream INTEGER,
    wait_on_correlation INTEGER,
    stream INTEGER
);
-- One end of a point-to-point transfer; transaction_name: name.id of what is transferred.
CREATE TABLE transfer_call (
    slice INTEGER PRIMARY KEY,
    worker INTEGER NOT NULL,
    is_send INTEGER NOT NULL,
    peer INTEGER,
    channel INTEGER,
    transaction_name INTEGER NOT NULL
);
-- What collectives of a rank carry; bytes 0: unknown.
CREATE TABLE tensor (
    id INTEGER PRIMARY KEY,
    worker INTEGER NOT NULL,
    name TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    dtype TEXT NOT NULL,
    shape TEXT NOT NULL
);
CREATE INDEX tensor_by_worker ON tensor (worker, name);
-- A collective, or a stage of one, and a tensor that it carries.
CREATE TABLE tensor_use (
    slice INTEGER NOT NULL,
    tensor INTEGER NOT NULL,
    PRIMARY KEY (slice, tensor)
) WITHOUT ROWID;
-- A step of one rank; is_stated: marked by the source itself. The property iterations.broken_off
-- lists the workers whose recording breaks off inside of their last one. source_file: the one that
-- states it, whose clock its times are of; NULL: the rank's.
CREATE TABLE iteration (
    worker INTEGER NOT NULL,
    number INTEGER NOT NULL,
    raw_start_ns INTEGER NOT NULL,
    raw_end_ns INTEGER NOT NULL,
    is_stated INTEGER NOT NULL DEFAULT 0,
    source_file INTEGER
);
CREATE INDEX iteration_by_worker ON iteration (worker);
-- The clocks as solved: aligned = raw + offset + drift_ppm * 1e-6 * (raw - drift_from);
-- uncertainty: half of the offset's 95 % interval; as recorded: within it the clock agrees with the
-- reference's (uncertainty 0: it is the reference's own). Times are taken from the view clock.
-- Not known: nothing ties the clock to the reference's; the offset, if any, is not measured, but
-- shows the rank beside the others.
CREATE TABLE alignment (
    worker INTEGER PRIMARY KEY,
    offset_ns INTEGER NOT NULL,
    drift_ppm REAL NOT NULL,
    drift_from_ns INTEGER NOT NULL,
    residual_ns INTEGER NOT NULL,
    is_reference INTEGER NOT NULL,
    is_known INTEGER NOT NULL,
    uncertainty_ns INTEGER NOT NULL,
    is_as_recorded INTEGER NOT NULL
);
-- A file of a worker that counts its times from another moment, or at another rate, than the
-- worker's other files: raw time of the worker = time + offset + drift_ppm * 1e-6 * (time -
-- drift_from). Measured by what both recorded; else their starts were put together. drift NULL: not
-- known. In the views, in `slice` and in `memory` it is added already.
CREATE TABLE file_clock (
    worker INTEGER NOT NULL,
    source_file INTEGER NOT NULL,
    offset_ns INTEGER NOT NULL,
    is_measured INTEGER NOT NULL,
    drift_ppm REAL,
    drift_from_ns INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (worker, source_file)
) WITHOUT ROWID;
-- A clock that the user has set instead; residual: how far apart that leaves collective ends.
CREATE TABLE alignment_by_hand (
    worker INTEGER PRIMARY KEY,
    offset_ns INTEGER NOT NULL,
    drift_ppm REAL NOT NULL,
    drift_from_ns INTEGER NOT NULL,
    residual_ns INTEGER NOT NULL
);
-- alignment.method, .status, .violations_before, .violations_after; the last two with clocks set by
-- hand: alignment.by_hand_status, .by_hand_violations_after; alignment.drift_ranges: worker, lowest
-- and highest drift in ppm, of each whose messages bound it; alignment.contradictions: worker that
-- enters, worker that has left by then, and by how many ns, of each two whose records contradict
-- each other, both with blanks between (absent: none); import.unfinished: inputs of an import
-- that has not ended, a JSON array (absent: all have); kept.*: what the window keeps, JSON text:
-- kept.timeline its marks, notes, bookmarks, folds and what is seen; kept.findings, bytes that only
-- the program reads that wrote them: what its analysis found.
CREATE TABLE property (
    key TEXT PRIMARY KEY,
    value NOT NULL
) WITHOUT ROWID;
-- A small file of the bundle that is no trace (meta.json), or what a trace says about the job
-- (`FILE#process groups`).
CREATE TABLE job_metadata (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    text TEXT NOT NULL
);
-- What went wrong, counted; loses_records: what it counts is not in the project.
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

-- About 8,192 slices of one track, in order; rows and times.
CREATE TABLE slice_chunk (
    first_slice INTEGER PRIMARY KEY,
    track INTEGER NOT NULL,
    row_count INTEGER NOT NULL,
    raw_min_start_ns INTEGER NOT NULL,
    raw_max_start_ns INTEGER NOT NULL,
    raw_max_end_ns INTEGER NOT NULL
);
-- data: row_count rows of 24 bytes as structure of arrays: start i64, duration i64, name u32,
-- category u8, phase u8, depth u8, spare u8. carried: the slices of earlier chunks that still run
-- when this one begins: ids u64[n], then n such rows, so that a window reads one chunk, not all
-- before it. NULL: more than 4,096; look into earlier chunks.
-- "Columns" below are narrowed: u8 width w (0, 1, 2, 4, 8; bit 7: delta), u64 base, then w bytes a
-- row. Delta: zigzag difference to the row before (0 before the first). Else 0 is 0 and n is
-- base + n - 1; base 0: n as it is.
CREATE TABLE slice_hot (
    first_slice INTEGER PRIMARY KEY,
    carried BLOB,
    data BLOB NOT NULL
);
-- zstd of the columns correlation, external id, sequence + 1, forward thread, bytes, args
-- ordinal + 1, node; 0 is none.
CREATE TABLE slice_links (
    first_slice INTEGER PRIMARY KEY,
    raw_bytes INTEGER NOT NULL,
    data BLOB NOT NULL
);
-- zstd, about 256 KiB uncompressed: length u32[count], then the texts, in order of arrival; the
-- first has the ordinal first_ordinal.
CREATE TABLE args_block (
    first_ordinal INTEGER PRIMARY KEY,
    count INTEGER NOT NULL,
    raw_bytes INTEGER NOT NULL,
    data BLOB NOT NULL
);
-- What a chunk of slices holds, so that searches leave it out: arguments with ordinals in
-- [args_begin, args_end); name_count ids of names, ascending, as one column. May lack rows: then
-- look.
CREATE TABLE slice_index (
    first_slice INTEGER PRIMARY KEY,
    args_begin INTEGER NOT NULL,
    args_end INTEGER NOT NULL,
    name_count INTEGER NOT NULL,
    names BLOB NOT NULL
);
-- A Bloom filter of 1,024 bytes: three neighbouring bytes a, b, c of the block's texts, each with
-- bit 0x20 set, have set the bit (a * 40503 + b * 30011 + c * 9973 mod 2^16) >> 3, lowest bit of the
-- first byte first. May lack rows: then look.
CREATE TABLE args_filter (
    first_ordinal INTEGER PRIMARY KEY,
    data BLOB NOT NULL
);
-- zstd of row_count (at most 65,536) events by time: columns raw time, device, address, delta,
-- allocated, reserved; delta is zigzag, device zigzag + 1, or 0 for the host. Of one source_file,
-- whose clock the times are of; NULL: the worker's.
CREATE TABLE memory_chunk (
    id INTEGER PRIMARY KEY,
    worker INTEGER NOT NULL,
    row_count INTEGER NOT NULL,
    raw_min_ns INTEGER NOT NULL,
    raw_max_ns INTEGER NOT NULL,
    raw_bytes INTEGER NOT NULL,
    data BLOB NOT NULL,
    source_file INTEGER
);
-- zstd of the columns kind (0 data, 1 control, 2 sync), key (0 node, 1 name.id), from, to.
CREATE TABLE dependency_chunk (
    id INTEGER PRIMARY KEY,
    worker INTEGER NOT NULL,
    row_count INTEGER NOT NULL,
    raw_bytes INTEGER NOT NULL,
    data BLOB NOT NULL
);
-- A level of detail of a track. A bin of a level of width w is one slice of any length, or
-- neighbours of one depth spanning at most w. A level is stored if it has at most half the bins of
-- the one before, down to about 2,000.
CREATE TABLE level (
    track INTEGER NOT NULL,
    level INTEGER NOT NULL,
    width_ns INTEGER NOT NULL,
    bin_count INTEGER NOT NULL,
    PRIMARY KEY (track, level)
) WITHOUT ROWID;
-- carried_count + own_count bins: columns start, duration, duration - busy, count, row of the
-- longest slice in the track, category, phase, depth. carried_count NULL as of slice_hot.
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
-- A strategy that the user has saved: what `longpole optimize -o` writes, JSON text.
CREATE TABLE strategy (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    file TEXT NOT NULL
);

-- collective_call with its slice. Longpole's own queries add wait_ns, transfer_ns, matched_group,
-- matched_sequence and last_rank, which are computed from all ranks.
CREATE VIEW collective AS
    SELECT c.slice, w.rank, s.name, c.kind, c.process_group, c.sequence, c.bytes, c.group_size,
           s.track, s.start_ns, s.dur_ns,
           c.raw_ready_ns
               + coalesce((SELECT f.offset_ns + CAST(round(coalesce(f.drift_ppm, 0) * 1e-6
                                      * (c.raw_ready_ns - f.drift_from_ns)) AS INTEGER)
                           FROM track t JOIN file_clock f
                               ON f.worker = t.worker AND f.source_file = t.file
                           WHERE t.id = s.track), 0) AS raw_ready_ns
    FROM collective_call c JOIN worker w ON w.id = c.worker JOIN slice s ON s.id = c.slice;
-- transfer_call with its slice and the transaction's text.
CREATE VIEW transfer AS
    SELECT t.slice, w.rank, s.name, t.is_send, t.peer, t.channel, n.text AS transaction_name,
           s.track, s.start_ns, s.dur_ns, s.bytes
    FROM transfer_call t JOIN worker w ON w.id = t.worker JOIN slice s ON s.id = t.slice
         JOIN name n ON n.id = t.transaction_name;
-- The clocks that times are aligned with: set by hand, else as solved.
CREATE VIEW clock AS
    SELECT a.worker, w.rank, coalesce(h.offset_ns, a.offset_ns) AS offset_ns,
           coalesce(h.drift_ppm, a.drift_ppm) AS drift_ppm,
           coalesce(h.drift_from_ns, a.drift_from_ns) AS drift_from_ns,
           h.worker IS NOT NULL AS is_by_hand
    FROM alignment a JOIN worker w ON w.id = a.worker
         LEFT JOIN alignment_by_hand h ON h.worker = a.worker;
-- iteration on the rank's raw clock.
CREATE VIEW rank_iteration AS
    SELECT i.worker, i.number,
           i.raw_start_ns + coalesce(f.offset_ns, 0) + CAST(round(coalesce(f.drift_ppm * 1e-6
               * (i.raw_start_ns - f.drift_from_ns), 0)) AS INTEGER) AS raw_start_ns,
           i.raw_end_ns + coalesce(f.offset_ns, 0) + CAST(round(coalesce(f.drift_ppm * 1e-6
               * (i.raw_end_ns - f.drift_from_ns), 0)) AS INTEGER) AS raw_end_ns
    FROM iteration i
         LEFT JOIN file_clock f ON f.worker = i.worker AND f.source_file = i.source_file;
-- iteration on the aligned clock.
CREATE VIEW step AS
    SELECT w.rank, i.number, i.raw_start_ns + coalesce(a.offset_ns, 0)
               + CAST(coalesce(a.drift_ppm * 1e-6 * (i.raw_start_ns - a.drift_from_ns), 0) AS INTEGER)
               AS start_ns,
           i.raw_end_ns - i.raw_start_ns AS dur_ns, i.raw_start_ns
    FROM rank_iteration i JOIN worker w ON w.id = i.worker
         LEFT JOIN clock a ON a.worker = i.worker;

-- A new project is unfinished until its import ends; see unfinished_import.h.
INSERT INTO property VALUES ('import.unfinished', '[]');
