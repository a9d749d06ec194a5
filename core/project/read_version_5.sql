-- Gives a connection that only reads a project of version 5, or one that has its shape, the shape of
-- version 6: no clock is set by hand. Keep in step with migrate_to_6.sql.
PRAGMA temp_store = MEMORY;
CREATE TEMP TABLE alignment_by_hand (worker, offset_ns, drift_ppm, drift_from_ns, residual_ns);
CREATE TEMP VIEW clock AS
    SELECT a.worker, w.rank, a.offset_ns, a.drift_ppm, a.drift_from_ns, 0 AS is_by_hand
    FROM alignment a JOIN worker w ON w.id = a.worker;
