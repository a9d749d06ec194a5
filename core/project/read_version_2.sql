-- Gives a connection that only reads a project of version 2 the shape of version 4. Keep in step with
-- migrate_to_3.sql.
PRAGMA temp_store = MEMORY;
CREATE TEMP VIEW source_file AS
    SELECT id, name, format, stored_bytes, status, reason, NULL AS modified_ns, '' AS fingerprint
    FROM main.source_file;
CREATE TEMP VIEW diagnostic AS
    SELECT code, severity, count, file, first_offset, message,
           severity = 'error' AS loses_records
    FROM main.diagnostic;
CREATE TEMP VIEW alignment AS
    SELECT worker, offset_ns, drift_ppm, drift_from_ns, residual_ns, is_reference, is_known,
           0 AS uncertainty_ns, 0 AS is_as_recorded
    FROM main.alignment;
