-- Gives a connection that only reads a project of version 3 the shape of version 4. Keep in step with
-- migrate_to_4.sql.
PRAGMA temp_store = MEMORY;
CREATE TEMP VIEW alignment AS
    SELECT worker, offset_ns, drift_ppm, drift_from_ns, residual_ns, is_reference, is_known,
           0 AS uncertainty_ns, 0 AS is_as_recorded
    FROM main.alignment;
