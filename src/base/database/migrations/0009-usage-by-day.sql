-- What charges cost, by the day of the emulator's clock on which they were made (days since 1970): what an account used
-- is a handful of rows, however long it has been at it. A refund counts on the day of its charge. No model is ''.
CREATE TABLE usage_days (
  account_id TEXT NOT NULL,
  day INTEGER NOT NULL,
  operation TEXT NOT NULL,
  model TEXT NOT NULL,
  -- The charges of the day lie between these of the account's entries.
  first_n INTEGER NOT NULL,
  last_n INTEGER NOT NULL,
  charges INTEGER NOT NULL,
  charged INTEGER NOT NULL,
  refunds INTEGER NOT NULL,
  refunded INTEGER NOT NULL,
  PRIMARY KEY (account_id, day, operation, model)
) STRICT, WITHOUT ROWID;
INSERT INTO usage_days
  SELECT charge.account_id, charge.created / 86400000, charge.operation, COALESCE(charge.model, ''),
    MIN(charge.n), MAX(charge.n), COUNT(*), -SUM(charge.amount), COUNT(refund.n), COALESCE(SUM(refund.amount), 0)
  FROM ledger charge
  LEFT JOIN ledger refund ON refund.account_id = charge.account_id AND refund.refund_of = charge.n
  WHERE charge.type = 'charge' GROUP BY 1, 2, 3, 4;
DROP INDEX ledger_window;
-- What is no charge is rare, and looked for by its time.
CREATE INDEX ledger_credits ON ledger (account_id, created) WHERE type <> 'charge';
