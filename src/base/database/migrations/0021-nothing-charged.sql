-- A lie may charge nothing: only its entries may have no amount. A check cannot be altered, so the table is made anew.
CREATE TABLE ledger_anew (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  n INTEGER NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('grant', 'charge', 'refund', 'top_up')),
  amount INTEGER NOT NULL CHECK ((amount <> 0 AND (type = 'charge') = (amount < 0)) OR (amount = 0 AND lie IS NOT NULL)),
  balance INTEGER NOT NULL CHECK (balance >= 0),
  operation TEXT,
  model TEXT,
  job_id TEXT,
  -- The n of the charge that this refund gives back.
  refund_of INTEGER,
  created INTEGER NOT NULL,
  request_id TEXT,
  -- The lie that wrote it.
  lie TEXT,
  PRIMARY KEY (account_id, n),
  FOREIGN KEY (account_id, refund_of) REFERENCES ledger (account_id, n),
  CHECK ((type = 'refund') = (refund_of IS NOT NULL)),
  CHECK ((type = 'charge') <= (operation IS NOT NULL))
) STRICT, WITHOUT ROWID;
INSERT INTO ledger_anew (account_id, n, type, amount, balance, operation, model, job_id, refund_of, created, request_id, lie)
  SELECT account_id, n, type, amount, balance, operation, model, job_id, refund_of, created, request_id, lie FROM ledger;
DROP TABLE ledger;
ALTER TABLE ledger_anew RENAME TO ledger;
CREATE INDEX ledger_refunds ON ledger (account_id, refund_of) WHERE refund_of IS NOT NULL;
CREATE INDEX ledger_credits ON ledger (account_id, created) WHERE type <> 'charge';
CREATE INDEX ledger_by_type ON ledger (account_id, type, n) WHERE type <> 'charge';
CREATE TRIGGER ledger_is_append_only_update BEFORE UPDATE ON ledger
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_is_append_only_delete BEFORE DELETE ON ledger
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_refund_in_full BEFORE INSERT ON ledger WHEN NEW.type = 'refund' AND NEW.lie IS NULL
BEGIN
  SELECT RAISE(ABORT, 'a refund gives back one charge of the same account, in full')
  WHERE NOT EXISTS (
    SELECT 1 FROM ledger AS charge
    WHERE charge.account_id = NEW.account_id AND charge.n = NEW.refund_of
      AND charge.type = 'charge' AND charge.amount = -NEW.amount
  );
  SELECT RAISE(ABORT, 'a charge is refunded once')
  WHERE EXISTS (
    SELECT 1 FROM ledger AS refund
    WHERE refund.account_id = NEW.account_id AND refund.refund_of = NEW.refund_of AND refund.lie IS NULL
  );
END;
