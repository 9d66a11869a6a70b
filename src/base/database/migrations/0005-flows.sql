-- What a flow was when a run of it began stays as it was: each change of name or steps is a version of its own.
CREATE TABLE flow_versions (
  flow_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  name TEXT NOT NULL,
  -- JSON array of nodeId, type and params.
  steps TEXT NOT NULL,
  created INTEGER NOT NULL,
  PRIMARY KEY (flow_id, version)
) STRICT, WITHOUT ROWID;
INSERT INTO flow_versions SELECT id, 1, name, steps, created FROM flows;

ALTER TABLE flows DROP COLUMN steps;
ALTER TABLE flows ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE flows ADD COLUMN enabled INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1));
CREATE INDEX flows_of_account ON flows (account_id, position);

CREATE TABLE runs (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  -- The flow may be gone; its version stays.
  flow_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  account_id TEXT NOT NULL REFERENCES accounts (id),
  source TEXT NOT NULL CHECK (source IN ('webhook', 'manual')),
  status TEXT NOT NULL CHECK (status IN ('running', 'waiting', 'done', 'failed')),
  -- The step at which it stands, from 1.
  step INTEGER NOT NULL,
  -- JSON object.
  inputs TEXT NOT NULL,
  -- On which address the caller reached the emulator: the URLs of its events are built on it.
  base_url TEXT NOT NULL,
  -- JSON of the faults that the request which started it was struck by.
  faults TEXT,
  -- JSON of the failure, and what it cost net of refunds, once it is final.
  failure TEXT,
  credits INTEGER,
  started INTEGER NOT NULL,
  finished INTEGER,
  FOREIGN KEY (flow_id, version) REFERENCES flow_versions (flow_id, version),
  CHECK ((status IN ('done', 'failed')) = (finished IS NOT NULL)),
  CHECK ((finished IS NOT NULL) = (credits IS NOT NULL)),
  CHECK ((status = 'failed') = (failure IS NOT NULL))
) STRICT;
CREATE INDEX runs_of_account ON runs (account_id, position);
CREATE INDEX runs_of_flow ON runs (flow_id, position);
CREATE INDEX runs_queue ON runs (workspace_id, position) WHERE status = 'running';

-- A step that was begun. Its row is written in the transaction of its charge, so that none is begun twice.
CREATE TABLE run_steps (
  run_id TEXT NOT NULL REFERENCES runs (id),
  step INTEGER NOT NULL,
  -- The n of the ledger entry that paid for it, and its job; a post has neither.
  charge INTEGER,
  job_id TEXT,
  -- JSON of what waits for a click: postId, text, url.
  post TEXT,
  -- JSON of what it came to, which counts from ready_at on; that of a job stands with the job.
  outcome TEXT,
  ready_at INTEGER,
  PRIMARY KEY (run_id, step)
) STRICT, WITHOUT ROWID;

-- The run that an event tells of; the one that ends it is told once.
ALTER TABLE events ADD COLUMN run_id TEXT;
CREATE INDEX events_of_run ON events (run_id) WHERE run_id IS NOT NULL;
CREATE UNIQUE INDEX events_of_run_end ON events (run_id)
  WHERE run_id IS NOT NULL AND type IN ('flow.run.succeeded', 'flow.run.failed');

-- 1 where a run waits for the job: it outlives the process, and so does the job.
ALTER TABLE jobs ADD COLUMN of_run INTEGER NOT NULL DEFAULT 0 CHECK (of_run IN (0, 1));
