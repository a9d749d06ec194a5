-- Brings a project from version 6 to 7: a file of a rank may have another clock than the rank's
-- other files.
CREATE TABLE file_clock (
    worker INTEGER NOT NULL,
    source_file INTEGER NOT NULL,
    offset_ns INTEGER NOT NULL,
    is_measured INTEGER NOT NULL,
    PRIMARY KEY (worker, source_file)
) WITHOUT ROWID;
