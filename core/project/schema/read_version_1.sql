-- Gives a connection that only reads a project of version 1 the shape of version 5. Temporary
-- tables and views hide those of the file, which stays as it is. Keep in step with migrate_to_N.sql.
PRAGMA temp_store = MEMORY;
CREATE TEMP VIEW source_file AS
    SELECT id, name, format, stored_bytes, 'read' AS status, '' AS reason,
           NULL AS modified_ns, '' AS fingerprint
    FROM main.source_file;
CREATE TEMP VIEW diagnostic AS
    SELECT code, severity, count, file, first_offset, message,
           severity = 'error' AS loses_records
    FROM main.diagnostic;
CREATE TEMP VIEW worker_file AS
    SELECT rowid, worker, file,
           (SELECT min(id) FROM main.source_file s WHERE s.name = f.file) AS source_file
    FROM main.worker_file f;
CREATE TEMP VIEW track AS
    SELECT t.id, t.worker, t.kind, t.pid, t.tid, t.name, t.device, t.first_slice, t.slice_count,
           t.depth_count, t.raw_start_ns, t.raw_end_ns,
           coalesce((SELECT min(f.source_file) FROM temp.worker_file f WHERE f.worker = t.worker), 0)
               AS file
    FROM main.track t;
CREATE TEMP VIEW file_event_count AS
    SELECT f.source_file AS file, e.category, sum(e.count) AS count
    FROM temp.worker_file f JOIN main.event_count e ON e.worker = f.worker
    WHERE f.source_file IS NOT NULL GROUP BY 1, 2;
CREATE TEMP VIEW iteration AS
    SELECT worker, number, raw_start_ns, raw_end_ns, 0 AS is_stated, NULL AS source_file
    FROM main.iteration;
CREATE TEMP TABLE transfer_call (slice, worker, is_send, peer, channel, transaction_name);
CREATE TEMP TABLE tensor (id, worker, name, bytes, dtype, shape);
CREATE TEMP TABLE tensor_use (slice, tensor);
CREATE TEMP TABLE slice_index (first_slice, args_begin, args_end, name_count, names);
CREATE TEMP TABLE args_filter (first_ordinal, data);
CREATE TEMP TABLE memory_chunk (id, worker, row_count, raw_min_ns, raw_max_ns, raw_bytes, data,
                                source_file);
CREATE TEMP TABLE dependency_chunk (id, worker, row_count, raw_bytes, data);
CREATE TEMP VIEW transfer AS
    SELECT NULL AS slice, NULL AS rank, NULL AS name, NULL AS is_send, NULL AS peer,
           NULL AS channel, NULL AS transaction_name, NULL AS track, NULL AS start_ns,
           NULL AS dur_ns, NULL AS bytes
    WHERE 0;
CREATE TEMP VIEW alignment AS
    SELECT worker, offset_ns, drift_ppm, drift_from_ns, residual_ns, is_reference, is_known,
           0 AS uncertainty_ns, 0 AS is_as_recorded
    FROM main.alignment;
CREATE TEMP VIEW collective_call AS
    SELECT slice, worker, kind, process_group, sequence, bytes, group_size, NULL AS raw_ready_ns
    FROM main.collective_call;
CREATE TEMP VIEW collective AS
    SELECT c.slice, w.rank, s.name, c.kind, c.process_group, c.sequence, c.bytes, c.group_size,
           s.track, s.start_ns, s.dur_ns, c.raw_ready_ns
    FROM temp.collective_call c JOIN worker w ON w.id = c.worker JOIN slice s ON s.id = c.slice;
