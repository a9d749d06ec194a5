-- Gives a connection that only reads a project of version 5, or one that has its shape, the shape of
-- version 6: no clock is set by hand. Keep in step with migrate_to_6.sql.
PRAGMA temp_store = MEMORY;
CREATE TEMP TABLE alignment_by_hand (worker, offset_ns, drift_ppm, drift_from_ns, residual_ns);
CREATE TEMP VIEW clock AS
    SELECT a.worker, w.rank, a.offset_ns, a.drift_ppm, a.drift_from_ns, 0 AS is_by_hand
    FROM alignment a JOIN worker w ON w.id = a.worker;
CREATE TEMP VIEW step AS
    SELECT w.rank, i.number, i.raw_start_ns + coalesce(a.offset_ns, 0)
               + CAST(coalesce(a.drift_ppm * 1e-6 * (i.raw_start_ns - a.drift_from_ns), 0) AS INTEGER)
               AS start_ns,
           i.raw_end_ns - i.raw_start_ns AS dur_ns, i.raw_start_ns
    FROM iteration i JOIN worker w ON w.id = i.worker LEFT JOIN clock a ON a.worker = i.worker;
