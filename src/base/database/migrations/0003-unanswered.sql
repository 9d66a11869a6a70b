-- Charges of calls that were done at once and wait for their answer: what a crash leaves here is refunded.
CREATE TABLE unanswered (
  account_id TEXT NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (account_id, n),
  FOREIGN KEY (account_id, n) REFERENCES ledger (account_id, n)
) STRICT, WITHOUT ROWID;
