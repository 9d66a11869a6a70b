-- Accounts take turns: what the next worker takes is the oldest of one account, however many another has queued.
DROP INDEX jobs_queued;
DROP INDEX jobs_queued_awaited;
CREATE INDEX jobs_queued ON jobs (account_id, position)
  WHERE completed IS NULL AND status = 'queued' AND outcome IS NULL;
CREATE INDEX jobs_queued_awaited ON jobs (account_id, position)
  WHERE completed IS NULL AND awaited = 1 AND of_run = 0 AND status = 'queued' AND outcome IS NULL;
