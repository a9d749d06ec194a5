-- Gives a connection that only reads a project of version 4 the shape of version 5. Keep in step with
-- migrate_to_5.sql.
PRAGMA temp_store = MEMORY;
CREATE TEMP VIEW collective_call AS
    SELECT slice, worker, kind, process_group, sequence, bytes, group_size, NULL AS raw_ready_ns
    FROM main.collective_call;
CREATE TEMP VIEW collective AS
    SELECT c.slice, w.rank, s.name, c.kind, c.process_group, c.sequence, c.bytes, c.group_size,
           s.track, s.start_ns, s.dur_ns, c.raw_ready_ns
    FROM temp.collective_call c JOIN worker w ON w.id = c.worker JOIN slice s ON s.id = c.slice;
