-- Brings a project from version 7 to 8: what a file states of steps and memory is of its clock, which
-- may drift from that of the rank's other files. Of which file they are is not known of older ones.
ALTER TABLE iteration ADD COLUMN source_file INTEGER;
ALTER TABLE memory_chunk ADD COLUMN source_file INTEGER;
ALTER TABLE file_clock ADD COLUMN drift_ppm REAL;
ALTER TABLE file_clock ADD COLUMN drift_from_ns INTEGER NOT NULL DEFAULT 0;
DROP VIEW collective;
DROP VIEW step;
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
CREATE VIEW rank_iteration AS
    SELECT i.worker, i.number,
           i.raw_start_ns + coalesce(f.offset_ns, 0) + CAST(round(coalesce(f.drift_ppm * 1e-6
               * (i.raw_start_ns - f.drift_from_ns), 0)) AS INTEGER) AS raw_start_ns,
           i.raw_end_ns + coalesce(f.offset_ns, 0) + CAST(round(coalesce(f.drift_ppm * 1e-6
               * (i.raw_end_ns - f.drift_from_ns), 0)) AS INTEGER) AS raw_end_ns
    FROM iteration i
         LEFT JOIN file_clock f ON f.worker = i.worker AND f.source_file = i.source_file;
CREATE VIEW step AS
    SELECT w.rank, i.number, i.raw_start_ns + coalesce(a.offset_ns, 0)
               + CAST(coalesce(a.drift_ppm * 1e-6 * (i.raw_start_ns - a.drift_from_ns), 0) AS INTEGER)
               AS start_ns,
           i.raw_end_ns - i.raw_start_ns AS dur_ns, i.raw_start_ns
    FROM rank_iteration i JOIN worker w ON w.id = i.worker
         LEFT JOIN clock a ON a.worker = i.worker;
