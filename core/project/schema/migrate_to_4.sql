-- Brings a project from version 3 to 4: how sure the clocks are is not known of earlier alignments.
ALTER TABLE alignment ADD COLUMN uncertainty_ns INTEGER NOT NULL DEFAULT 0;
ALTER TABLE alignment ADD COLUMN is_as_recorded INTEGER NOT NULL DEFAULT 0;
