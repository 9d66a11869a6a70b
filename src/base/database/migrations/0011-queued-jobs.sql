-- What the next worker takes, however many jobs are open and wait for their time.
CREATE INDEX jobs_queued ON jobs (position) WHERE completed IS NULL AND status = 'queued' AND outcome IS NULL;
CREATE INDEX jobs_queued_awaited ON jobs (position)
  WHERE completed IS NULL AND awaited = 1 AND of_run = 0 AND status = 'queued' AND outcome IS NULL;
