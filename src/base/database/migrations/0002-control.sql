-- JSON of the faults that the request which started it was struck by.
ALTER TABLE jobs ADD COLUMN faults TEXT;
-- 1 once somebody asked for its end: it settles as soon as its outcome is there.
ALTER TABLE jobs ADD COLUMN released INTEGER NOT NULL DEFAULT 0 CHECK (released IN (0, 1));

-- How this delivery is to be spoilt, or null.
ALTER TABLE deliveries ADD COLUMN fault TEXT;

-- Scripted answers made over HTTP: JSON of what was written, and of the files that its answers name, in their order.
CREATE TABLE fixtures (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT REFERENCES accounts (id),
  written TEXT NOT NULL,
  media TEXT NOT NULL
) STRICT;

-- Of these and of those that stand in a folder: how often each was used, and the files that it needs.
CREATE TABLE fixture_uses (fixture TEXT PRIMARY KEY, uses INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE fixture_files (
  file TEXT NOT NULL, fixture TEXT NOT NULL, PRIMARY KEY (file, fixture)
) STRICT, WITHOUT ROWID;

-- How jobs come to their end: those of one account, or, under the empty id, of all that have none of their own.
CREATE TABLE progression (
  account_id TEXT PRIMARY KEY,
  mode TEXT NOT NULL CHECK (mode IN ('render', 'seconds', 'polls', 'manual')),
  -- Seconds or polls, in the modes that count them.
  value REAL,
  CHECK ((mode IN ('seconds', 'polls')) = (value IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE faults (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  -- Whose requests it strikes; everybody's when null.
  account_id TEXT REFERENCES accounts (id),
  -- JSON.
  match TEXT NOT NULL,
  effect TEXT NOT NULL,
  -- How often it may strike (0: until it is deleted), and how often it did.
  times INTEGER NOT NULL CHECK (times >= 0),
  strikes INTEGER NOT NULL DEFAULT 0 CHECK (strikes >= 0 AND (times = 0 OR strikes <= times)),
  probability REAL NOT NULL CHECK (probability > 0 AND probability <= 1),
  expires INTEGER,
  created INTEGER NOT NULL
) STRICT;
CREATE INDEX faults_of_account ON faults (account_id, position);
