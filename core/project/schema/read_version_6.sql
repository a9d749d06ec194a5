-- Gives a connection that only reads a project of version 6, or one that has its shape, the shape of
-- version 7: no file has a clock of its own. Keep in step with migrate_to_7.sql.
PRAGMA temp_store = MEMORY;
CREATE TEMP TABLE file_clock (worker, source_file, offset_ns, is_measured, drift_ppm,
                              drift_from_ns);
