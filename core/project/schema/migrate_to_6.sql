-- Brings a project from version 5 to 6: clocks that the user has set stand beside the solved ones.
CREATE TABLE alignment_by_hand (
    worker INTEGER PRIMARY KEY,
    offset_ns INTEGER NOT NULL,
    drift_ppm REAL NOT NULL,
    drift_from_ns INTEGER NOT NULL,
    residual_ns INTEGER NOT NULL
);
DROP VIEW step;
CREATE VIEW clock AS
    SELECT a.worker, w.rank, coalesce(h.offset_ns, a.offset_ns) AS offset_ns,
           coalesce(h.drift_ppm, a.drift_ppm) AS drift_ppm,
           coalesce(h.drift_from_ns, a.drift_from_ns) AS drift_from_ns,
           h.worker IS NOT NULL AS is_by_hand
    FROM alignment a JOIN worker w ON w.id = a.worker
         LEFT JOIN alignment_by_hand h ON h.worker = a.worker;
CREATE VIEW step AS
    SELECT w.rank, i.number, i.raw_start_ns + coalesce(a.offset_ns, 0)
               + CAST(coalesce(a.drift_ppm * 1e-6 * (i.raw_start_ns - a.drift_from_ns), 0) AS INTEGER)
               AS start_ns,
           i.raw_end_ns - i.raw_start_ns AS dur_ns, i.raw_start_ns
    FROM iteration i JOIN worker w ON w.id = i.worker LEFT JOIN clock a ON a.worker = i.worker;
