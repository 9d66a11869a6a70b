-- What lies have made otherwise than it has to be: `ref` is the id of a job, an entry, an object or a run.
CREATE TABLE lied (
  position INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL,
  lie TEXT NOT NULL,
  ref TEXT NOT NULL,
  detail TEXT NOT NULL,
  created INTEGER NOT NULL
) STRICT;
CREATE INDEX lied_by_ref ON lied (ref, lie);
-- The lie that wrote a row, and the event in whose place another was sent.
ALTER TABLE ledger ADD COLUMN lie TEXT;
ALTER TABLE events ADD COLUMN lie TEXT;
ALTER TABLE events ADD COLUMN truth TEXT;
-- Only a lie refunds less than all, or twice.
DROP INDEX ledger_refunds;
CREATE INDEX ledger_refunds ON ledger (account_id, refund_of) WHERE refund_of IS NOT NULL;
DROP TRIGGER ledger_refund_in_full;
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
