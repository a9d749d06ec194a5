-- Brings a project from version 4 to 5: when a rank's data was ready is not known of earlier imports.
ALTER TABLE collective_call ADD COLUMN raw_ready_ns INTEGER;
DROP VIEW collective;
CREATE VIEW collective AS
    SELECT c.slice, w.rank, s.name, c.kind, c.process_group, c.sequence, c.bytes, c.group_size,
           s.track, s.start_ns, s.dur_ns, c.raw_ready_ns
    FROM collective_call c JOIN worker w ON w.id = c.worker JOIN slice s ON s.id = c.slice;
