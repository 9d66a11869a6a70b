-- Numbers of ledger entries that were given out in a state that a restore has left, and are not given out again: up to
-- `n`, so many of an account. Accounts that are gone with such a state are among them.
CREATE TABLE skipped_entries (
  account_id TEXT NOT NULL,
  n INTEGER NOT NULL,
  skipped INTEGER NOT NULL CHECK (skipped BETWEEN 1 AND n),
  PRIMARY KEY (account_id, n)
) STRICT, WITHOUT ROWID;
