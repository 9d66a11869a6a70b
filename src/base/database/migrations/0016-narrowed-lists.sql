-- The few jobs that failed, and the few movements of money that are no charges.
CREATE INDEX jobs_failed ON jobs (position) WHERE status = 'failed';
CREATE INDEX ledger_by_type ON ledger (account_id, type, n) WHERE type <> 'charge';
