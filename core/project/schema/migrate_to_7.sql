-- Brings a project from version 6 to 7: a file of a rank may have another clock than the rank's
-- other files.
CREATE TABLE file_clock (
    worker INTEGER NOT NULL,
    source_file INTEGER NOT NULL,
    offset_ns INTEGER NOT NULL,
    is_measured INTEGER NOT NULL,
    PRIMARY KEY (worker, source_file)
) WITHOUT ROWID;
DROP VIEW collective;
CREATE VIEW collective AS
    SELECT c.slice, w.rank, s.name, c.kind, c.process_group, c.sequence, c.bytes, c.group_size,
           s.track, s.start_ns, s.dur_ns,
           c.raw_ready_ns + coalesce((SELECT f.offset_ns FROM track t JOIN file_clock f
                                          ON f.worker = t.worker AND f.source_file = t.file
                                      WHERE t.id = s.track), 0) AS raw_ready_ns
    FROM collective_call c JOIN worker w ON w.id = c.worker JOIN slice s ON s.id = c.slice;
