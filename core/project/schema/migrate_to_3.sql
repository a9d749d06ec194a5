-- Brings a project from version 2 to 3: when a file of the bundle was written and what it held is not
-- known of earlier imports. Which diagnostics' records are lost is told by their severity.
ALTER TABLE source_file ADD COLUMN modified_ns INTEGER;
ALTER TABLE source_file ADD COLUMN fingerprint TEXT NOT NULL DEFAULT '';
ALTER TABLE diagnostic ADD COLUMN loses_records INTEGER NOT NULL DEFAULT 0;
UPDATE diagnostic SET loses_records = 1 WHERE severity = 'error';
