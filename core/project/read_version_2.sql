-- Gives a connection that only reads a project of version 2 the shape of version 3. Keep in step with
-- migrate_to_3.sql.
PRAGMA temp_store = MEMORY;
CREATE TEMP VIEW source_file AS
    SELECT id, name, format, stored_bytes, status, reason, NULL AS modified_ns, '' AS fingerprint
    FROM main.source_file;
CREATE TEMP VIEW diagnostic AS
    SELECT code, severity, count, file, first_offset, message,
           severity = 'error' AS loses_records
    FROM main.diagnostic;
