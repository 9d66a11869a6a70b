-- The request that led to a row: null where none did, or where the row is older than this column. What a delivery and a
-- refund are of stands on their event and their charge.
ALTER TABLE jobs ADD COLUMN request_id TEXT;
ALTER TABLE runs ADD COLUMN request_id TEXT;
ALTER TABLE events ADD COLUMN request_id TEXT;
ALTER TABLE ledger ADD COLUMN request_id TEXT;
