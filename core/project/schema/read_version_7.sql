-- Gives a connection that only reads a project of version 7, or one that has its shape, the shape of
-- version 8: of which file memory events and steps are is not known, nor how a file's clock drifts.
-- So steps are on the rank's clock.
-- Keep in step with migrate_to_8.sql.
PRAGMA temp_store = MEMORY;
CREATE TEMP VIEW IF NOT EXISTS iteration AS
    SELECT worker, number, raw_start_ns, raw_end_ns, is_stated, NULL AS source_file
    FROM main.iteration;
CREATE TEMP VIEW IF NOT EXISTS memory_chunk AS
    SELECT id, worker, row_count, raw_min_ns, raw_max_ns, raw_bytes, data, NULL AS source_file
    FROM main.memory_chunk;
CREATE TEMP VIEW IF NOT EXISTS file_clock AS
    SELECT worker, source_file, offset_ns, is_measured, NULL AS drift_ppm, 0 AS drift_from_ns
    FROM main.file_clock;
CREATE TEMP VIEW rank_iteration AS
    SELECT worker, number, raw_start_ns, raw_end_ns FROM main.iteration;
