-- Brings a project from version 2 to 3: when a file of the bundle was written and what it held is not
-- known of earlier imports.
ALTER TABLE source_file ADD COLUMN modified_ns INTEGER;
ALTER TABLE source_file ADD COLUMN fingerprint TEXT NOT NULL DEFAULT '';
