-- What an account may spend at most. Counted from the entry after `since_n`, refunds given back.
CREATE TABLE budgets (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id),
  credits INTEGER NOT NULL CHECK (credits >= 0),
  since_n INTEGER NOT NULL,
  -- How much of it was spent up to the entry `counted_n`; what came after is added when it is looked at.
  spent INTEGER NOT NULL DEFAULT 0,
  counted_n INTEGER NOT NULL,
  -- How many requests would have exceeded it, and when the last one did.
  refused INTEGER NOT NULL DEFAULT 0,
  refused_at INTEGER,
  created INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- By what a request led to its story is told.
CREATE INDEX events_of_job ON events (job_id) WHERE job_id IS NOT NULL;
CREATE INDEX deliveries_of_event ON deliveries (event_id);

-- Key material stands in a table of its own, which nobody reads who only looks.
CREATE TABLE secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO secrets SELECT id, secret FROM endpoints;
INSERT INTO secrets SELECT name, value ->> '$' FROM settings WHERE name = 'cdn-secret';
DELETE FROM settings WHERE name = 'cdn-secret';
ALTER TABLE endpoints DROP COLUMN secret;
