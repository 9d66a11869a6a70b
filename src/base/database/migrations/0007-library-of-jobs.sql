-- An entry is of a job, which knows what it was made from, by which seed and for how much: that stands there only.
CREATE TABLE entries (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  -- The job's position.
  job INTEGER NOT NULL UNIQUE REFERENCES jobs (position),
  medium TEXT NOT NULL,
  model TEXT NOT NULL,
  object_id TEXT,
  file TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  content_type TEXT NOT NULL,
  seconds REAL,
  created INTEGER NOT NULL
) STRICT;
INSERT INTO entries
  SELECT library.position, library.id, library.account_id, jobs.position, library.medium, library.model, object_id,
    file, bytes, content_type, seconds, library.created
  FROM library JOIN jobs ON jobs.id = library.job_id;
DROP TABLE library;
ALTER TABLE entries RENAME TO library;
CREATE INDEX library_of_account ON library (account_id, position);
CREATE INDEX library_of_file ON library (file);
CREATE INDEX library_by_medium ON library (medium, position);
CREATE INDEX library_by_model ON library (model, position);
CREATE INDEX library_by_time ON library (created);
CREATE INDEX library_of_account_by_time ON library (account_id, created);
