-- Version 1 of the database. Times are milliseconds of the emulator's clock unless a comment says otherwise.
-- `position` orders what is listed. Files are named by 64 hex digits: a fingerprint or a SHA-256.

-- A JSON value with a name, such as the state of the clock.
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- The key of signed URLs, and the signing secrets of endpoints by their ids.
CREATE TABLE secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- The last number of a sequence, such as the ids of one kind within an owner, or the draws of a fault rule.
CREATE TABLE sequences (
  owner TEXT NOT NULL, kind TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (owner, kind)
) STRICT, WITHOUT ROWID;

-- A workspace with its plan.
CREATE TABLE workspaces (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  plan TEXT NOT NULL CHECK (plan IN ('payg', 'hobby', 'creator', 'studio')),
  created INTEGER NOT NULL
) STRICT;

-- An account: a member of a workspace with a balance.
CREATE TABLE accounts (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  created INTEGER NOT NULL
) STRICT;
CREATE INDEX accounts_of_workspace ON accounts (workspace_id, position);

-- An API key of an account.
CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  -- SHA-256 of the key in hex; the key itself is not kept.
  hash TEXT NOT NULL UNIQUE,
  created INTEGER NOT NULL,
  revoked INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX keys_of_account ON keys (account_id);

-- The price lines of charges, as JSON. Charges with the same lines share a row.
CREATE TABLE prices (id INTEGER PRIMARY KEY, lines TEXT NOT NULL UNIQUE) STRICT;

-- The nth entry of an account; both determine its id. Rows of an account are adjacent, so that a charge touches one
-- page. The balance after its newest entry is that of the account.
CREATE TABLE ledger (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  n INTEGER NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('grant', 'charge', 'refund', 'top_up')),
  amount INTEGER NOT NULL CHECK (amount <> 0 AND (type = 'charge') = (amount < 0)),
  balance INTEGER NOT NULL CHECK (balance >= 0),
  operation TEXT,
  model TEXT,
  job_id TEXT,
  -- The n of the charge that this refund gives back.
  refund_of INTEGER,
  created INTEGER NOT NULL,
  request_id TEXT,
  -- The lines that add up to the amount of a charge.
  price INTEGER REFERENCES prices (id),
  PRIMARY KEY (account_id, n),
  FOREIGN KEY (account_id, refund_of) REFERENCES ledger (account_id, n),
  CHECK ((type = 'refund') = (refund_of IS NOT NULL)),
  CHECK ((type = 'charge') <= (operation IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX ledger_refunds ON ledger (account_id, refund_of) WHERE refund_of IS NOT NULL;
CREATE INDEX ledger_credits ON ledger (account_id, created) WHERE type <> 'charge';
CREATE INDEX ledger_by_type ON ledger (account_id, type, n) WHERE type <> 'charge';
CREATE TRIGGER ledger_is_append_only_update BEFORE UPDATE ON ledger
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_is_append_only_delete BEFORE DELETE ON ledger
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_refund_in_full BEFORE INSERT ON ledger WHEN NEW.type = 'refund'
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
    WHERE refund.account_id = NEW.account_id AND refund.refund_of = NEW.refund_of
  );
END;

-- Numbers of ledger entries that a restore removed and that are never used again: `skipped` numbers up to `n`.
-- The account may have been removed by the restore too.
CREATE TABLE skipped_entries (
  account_id TEXT NOT NULL,
  n INTEGER NOT NULL,
  skipped INTEGER NOT NULL CHECK (skipped BETWEEN 1 AND n),
  PRIMARY KEY (account_id, n)
) STRICT, WITHOUT ROWID;

-- The charge of a call whose delayed response is the only copy of its result. If the process ends before the response,
-- the next start refunds the charge.
CREATE TABLE unanswered (
  account_id TEXT NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (account_id, n),
  FOREIGN KEY (account_id, n) REFERENCES ledger (account_id, n)
) STRICT, WITHOUT ROWID;

-- What charges cost on a day (days since 1970), by operation and model; no model is an empty text. A refund counts on
-- the day of its charge.
CREATE TABLE usage_days (
  account_id TEXT NOT NULL,
  day INTEGER NOT NULL,
  operation TEXT NOT NULL,
  model TEXT NOT NULL,
  -- The n of the first and the last ledger entry among these charges.
  first_n INTEGER NOT NULL,
  last_n INTEGER NOT NULL,
  charges INTEGER NOT NULL,
  charged INTEGER NOT NULL,
  refunds INTEGER NOT NULL,
  refunded INTEGER NOT NULL,
  PRIMARY KEY (account_id, day, operation, model)
) STRICT, WITHOUT ROWID;

-- What a request or a step of a run bought. An order of a request without jobs and faults, such as a chat, has no row:
-- `order-store.ts` reads its charge as an order.
CREATE TABLE orders (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  -- charge: the n of the first ledger entry of the order; charges: how many charges follow each other from there on.
  charge INTEGER NOT NULL,
  charges INTEGER NOT NULL CHECK (charges > 0),
  operation TEXT NOT NULL,
  model TEXT,
  request_id TEXT,
  run_id TEXT REFERENCES runs (id),
  step INTEGER,
  -- JSON: what fault rules, holds and the latency profile decided for its work; null if nothing did.
  faults TEXT,
  created INTEGER NOT NULL,
  PRIMARY KEY (account_id, charge),
  UNIQUE (run_id, step),
  FOREIGN KEY (account_id, charge) REFERENCES ledger (account_id, n),
  CHECK ((run_id IS NULL) = (step IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX orders_of_request ON orders (request_id) WHERE request_id IS NOT NULL;

-- A render that was ordered, from its charge to its end.
CREATE TABLE jobs (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  workspace_id TEXT NOT NULL,
  medium TEXT NOT NULL CHECK (medium IN ('image', 'video', 'speech', 'music')),
  status TEXT NOT NULL CHECK (status IN ('queued', 'processing', 'succeeded', 'failed')),
  model TEXT NOT NULL,
  -- What waits for the job, or null. If the process ends, a job of an open call fails and is refunded; a run still waits.
  waiter TEXT CHECK (waiter IN ('call', 'run')),
  take INTEGER,
  seed INTEGER,
  -- JSON. parameters: the effective parameters, as the record of the job shows them; render: what is to be rendered.
  parameters TEXT NOT NULL,
  render TEXT NOT NULL,
  store INTEGER NOT NULL CHECK (store IN (0, 1)),
  credits INTEGER NOT NULL,
  -- charge: the n of the ledger entry that paid for the job; order_charge: that of the first entry of its order, which the
  -- takes of a song share.
  charge INTEGER NOT NULL,
  order_charge INTEGER NOT NULL,
  -- The address that the caller used, with which URLs of the result begin.
  base_url TEXT NOT NULL,
  -- ready_at: the end of a requested delay. Before it, a job ends only if it is released, as by a control operation.
  -- fail_with: the code of a job that will fail.
  ready_at INTEGER,
  fail_with TEXT,
  polls INTEGER NOT NULL DEFAULT 0,
  -- JSON. outcome: the result of the work, before the job is final; result: that of the final job.
  outcome TEXT,
  result TEXT,
  created INTEGER NOT NULL,
  started INTEGER,
  completed INTEGER,
  faults TEXT,
  released INTEGER NOT NULL DEFAULT 0 CHECK (released IN (0, 1)),
  UNIQUE (account_id, charge),
  FOREIGN KEY (account_id, charge) REFERENCES ledger (account_id, n),
  FOREIGN KEY (account_id, order_charge) REFERENCES orders (account_id, charge),
  CHECK ((status IN ('succeeded', 'failed')) = (completed IS NOT NULL)),
  CHECK ((completed IS NOT NULL) = (result IS NOT NULL))
) STRICT;
CREATE INDEX jobs_of_account ON jobs (account_id, position);
CREATE INDEX jobs_open ON jobs (position) WHERE completed IS NULL;
-- Accounts take turns: a worker takes the oldest job of one account, even if another account has queued many.
CREATE INDEX jobs_queued ON jobs (account_id, position)
  WHERE completed IS NULL AND status = 'queued' AND outcome IS NULL;
CREATE INDEX jobs_queued_of_calls ON jobs (account_id, position)
  WHERE completed IS NULL AND waiter = 'call' AND status = 'queued' AND outcome IS NULL;
CREATE INDEX jobs_failed ON jobs (position) WHERE status = 'failed';

-- How the jobs of an account end. The row with an empty id applies to all other accounts.
CREATE TABLE progression (
  account_id TEXT PRIMARY KEY,
  mode TEXT NOT NULL CHECK (mode IN ('render', 'seconds', 'polls', 'manual')),
  -- Seconds or polls, in the modes that count them.
  value REAL,
  CHECK ((mode IN ('seconds', 'polls')) = (value IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- An immutable file of the data folder.
CREATE TABLE files (
  -- A render's fingerprint or the SHA-256 of what was uploaded.
  name TEXT PRIMARY KEY CHECK (length(name) = 64 AND name NOT GLOB '*[^0-9a-f]*'),
  origin TEXT NOT NULL CHECK (origin IN ('render', 'upload')),
  bytes INTEGER NOT NULL,
  content_type TEXT NOT NULL,
  seconds REAL,
  -- Real time of the last use. Above maxDisk, the least recently used renders are removed.
  used INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX files_by_use ON files (used) WHERE origin = 'render';

-- A stored object: a file under a permanent URL.
CREATE TABLE objects (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  file TEXT NOT NULL CHECK (length(file) = 64 AND file NOT GLOB '*[^0-9a-f]*'),
  bytes INTEGER NOT NULL,
  content_type TEXT NOT NULL,
  created INTEGER NOT NULL
) STRICT;
CREATE INDEX objects_of_account ON objects (account_id, position);
CREATE INDEX objects_of_file ON objects (file);

-- A finished render. The row of its job has the parameters, the seed and the price.
CREATE TABLE library (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  -- The job's position.
  job INTEGER NOT NULL UNIQUE REFERENCES jobs (position),
  medium TEXT NOT NULL,
  model TEXT NOT NULL,
  object_id TEXT,
  file TEXT NOT NULL CHECK (length(file) = 64 AND file NOT GLOB '*[^0-9a-f]*'),
  bytes INTEGER NOT NULL,
  content_type TEXT NOT NULL,
  seconds REAL,
  created INTEGER NOT NULL
) STRICT;
CREATE INDEX library_of_account ON library (account_id, position);
CREATE INDEX library_of_file ON library (file);
CREATE INDEX library_by_medium ON library (medium, position);
CREATE INDEX library_by_model ON library (model, position);
CREATE INDEX library_by_time ON library (created);
CREATE INDEX library_of_account_by_time ON library (account_id, created);

-- A given picture or voice, or a thumbnail, and its owner: a library entry or an element. The file of a given one stays
-- as long as its owner. A thumbnail may be removed to save space, and is rendered again.
CREATE TABLE pictures (
  file TEXT NOT NULL CHECK (length(file) = 64 AND file NOT GLOB '*[^0-9a-f]*'),
  owner TEXT NOT NULL,
  PRIMARY KEY (file, owner)
) STRICT, WITHOUT ROWID;

-- A saved character or thing, with its handle. `picture` and `voice` are JSON.
CREATE TABLE elements (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  handle TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  -- JSON of a reference picture, or null.
  picture TEXT,
  created INTEGER NOT NULL,
  voice TEXT,
  UNIQUE (account_id, handle)
) STRICT;

-- A flow with its hook URL.
CREATE TABLE flows (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  account_id TEXT NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  -- JSON array of nodeId, type and params.
  steps TEXT NOT NULL,
  token TEXT NOT NULL UNIQUE,
  created INTEGER NOT NULL,
  -- A deleted flow keeps its row for the sake of its runs.
  deleted INTEGER NOT NULL DEFAULT 0 CHECK (deleted IN (0, 1))
) STRICT;
CREATE INDEX flows_of_workspace ON flows (workspace_id, position);
CREATE INDEX flows_of_account ON flows (account_id, position);

-- One run of a flow, with its state and cost.
CREATE TABLE runs (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  flow_id TEXT NOT NULL REFERENCES flows (id),
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  account_id TEXT NOT NULL REFERENCES accounts (id),
  source TEXT NOT NULL CHECK (source IN ('webhook', 'manual')),
  status TEXT NOT NULL CHECK (status IN ('running', 'waiting', 'done', 'failed')),
  -- The present step, from 1.
  step INTEGER NOT NULL,
  -- JSON object.
  inputs TEXT NOT NULL,
  -- The address that the caller used, with which URLs of its events begin.
  base_url TEXT NOT NULL,
  -- JSON of the faults applied to the request that started it.
  faults TEXT,
  -- JSON of the failure, and the cost net of refunds, once the run is final.
  failure TEXT,
  credits INTEGER,
  started INTEGER NOT NULL,
  finished INTEGER,
  request_id TEXT,
  CHECK ((status IN ('done', 'failed')) = (finished IS NOT NULL)),
  CHECK ((finished IS NOT NULL) = (credits IS NOT NULL)),
  CHECK ((status = 'failed') = (failure IS NOT NULL))
) STRICT;
CREATE INDEX runs_of_account ON runs (account_id, position);
CREATE INDEX runs_of_flow ON runs (flow_id, position);
CREATE INDEX runs_queue ON runs (workspace_id, position) WHERE status = 'running';

-- A started step of a run. It is written with its order, so no step starts twice. A post has no order.
CREATE TABLE run_steps (
  run_id TEXT NOT NULL REFERENCES runs (id),
  step INTEGER NOT NULL,
  -- JSON of a post that waits for a click: postId, text, url.
  post TEXT,
  -- JSON of the outcome of a post or a text, valid from ready_at. The outcome of a job is in the row of the job.
  outcome TEXT,
  ready_at INTEGER,
  PRIMARY KEY (run_id, step)
) STRICT, WITHOUT ROWID;

-- A webhook endpoint of a workspace.
CREATE TABLE endpoints (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  url TEXT NOT NULL,
  -- JSON array of event types.
  events TEXT NOT NULL,
  flow_id TEXT,
  last_delivery_at INTEGER,
  last_status INTEGER,
  created INTEGER NOT NULL
) STRICT;
CREATE INDEX endpoints_of_workspace ON endpoints (workspace_id, position);

-- An event, even if no endpoint subscribes to it. The event of a job has the same digits as the id of the job.
CREATE TABLE events (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  type TEXT NOT NULL,
  flow_id TEXT,
  job_id TEXT,
  -- The exact text to sign and send.
  body TEXT NOT NULL,
  created INTEGER NOT NULL,
  run_id TEXT,
  request_id TEXT
) STRICT;
CREATE INDEX events_of_workspace ON events (workspace_id, type, position);
CREATE INDEX events_of_account ON events (account_id, position);
CREATE INDEX events_of_run ON events (run_id) WHERE run_id IS NOT NULL;
-- The end of a run is announced once.
CREATE UNIQUE INDEX events_of_run_end ON events (run_id)
  WHERE run_id IS NOT NULL AND type IN ('flow.run.succeeded', 'flow.run.failed');

-- One attempt to send an event to an endpoint.
CREATE TABLE deliveries (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  event_id TEXT NOT NULL REFERENCES events (id),
  account_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  url TEXT NOT NULL,
  -- due: not sent yet; attempted: being sent, or cut off by a crash; delivered: 2xx received; failed: anything else.
  status TEXT NOT NULL CHECK (status IN ('due', 'attempted', 'delivered', 'failed')),
  redelivery_of TEXT,
  -- signature: the header as sent; attempted_at: the machine's time of the attempt.
  signature TEXT,
  attempted_at INTEGER,
  duration_ms INTEGER,
  response_status INTEGER,
  response_body TEXT,
  error TEXT,
  created INTEGER NOT NULL,
  fault TEXT
) STRICT;
CREATE INDEX deliveries_of_account ON deliveries (account_id, position);
CREATE INDEX deliveries_open ON deliveries (endpoint_id, position)
  WHERE status IN ('due', 'attempted');
CREATE INDEX deliveries_of_event ON deliveries (event_id);
CREATE INDEX deliveries_failed ON deliveries (position) WHERE status = 'failed';
-- Deliveries with a fault, and those that took a second or longer. Both are few.
CREATE INDEX deliveries_with_fault ON deliveries (position) WHERE fault IS NOT NULL;
CREATE INDEX deliveries_slow ON deliveries (duration_ms) WHERE duration_ms >= 1000;

-- The newest run of which an event was removed because of its age. Events of earlier runs may be gone too.
CREATE TABLE unannounced_runs (position INTEGER NOT NULL) STRICT;
INSERT INTO unannounced_runs VALUES (0);
CREATE TRIGGER run_event_is_deleted AFTER DELETE ON events WHEN OLD.run_id IS NOT NULL
BEGIN
  UPDATE unannounced_runs SET position = MAX(position, COALESCE((SELECT position FROM runs WHERE id = OLD.run_id), 0));
END;

-- A fault rule.
CREATE TABLE faults (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  -- The account whose requests it applies to; null for all.
  account_id TEXT REFERENCES accounts (id),
  -- JSON.
  match TEXT NOT NULL,
  effect TEXT NOT NULL,
  -- times: how often the rule may apply (0: no limit); applied: how often it did.
  times INTEGER NOT NULL CHECK (times >= 0),
  applied INTEGER NOT NULL DEFAULT 0 CHECK (applied >= 0 AND (times = 0 OR applied <= times)),
  probability REAL NOT NULL CHECK (probability > 0 AND probability <= 1),
  expires INTEGER,
  created INTEGER NOT NULL
) STRICT;
CREATE INDEX faults_of_account ON faults (account_id, position);

-- A scripted answer made over HTTP: JSON of what was written, and of the files that its answers name, in order.
CREATE TABLE fixtures (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT REFERENCES accounts (id),
  written TEXT NOT NULL,
  media TEXT NOT NULL
) STRICT;

-- How often a scripted answer was used, whether it was made over HTTP or read from a folder.
CREATE TABLE fixture_uses (fixture TEXT PRIMARY KEY, uses INTEGER NOT NULL) STRICT, WITHOUT ROWID;

-- A file that a scripted answer needs.
CREATE TABLE fixture_files (
  file TEXT NOT NULL CHECK (length(file) = 64 AND file NOT GLOB '*[^0-9a-f]*'),
  fixture TEXT NOT NULL,
  PRIMARY KEY (file, fixture)
) STRICT, WITHOUT ROWID;

-- The last 100,000 deleted objects, elements, fault rules, scripted answers, endpoints, events and deliveries. Paging
-- continues after the id of such a record at its position.
CREATE TABLE deleted_records (
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT,
  position INTEGER NOT NULL,
  created INTEGER NOT NULL
) STRICT;
CREATE TRIGGER deleted_records_limit AFTER INSERT ON deleted_records
BEGIN DELETE FROM deleted_records WHERE n <= NEW.n - 100000; END;
CREATE TRIGGER object_is_deleted AFTER DELETE ON objects
BEGIN
  INSERT OR REPLACE INTO deleted_records (id, account_id, position, created)
  VALUES (OLD.id, OLD.account_id, OLD.position, OLD.created);
END;
CREATE TRIGGER element_is_deleted AFTER DELETE ON elements
BEGIN
  INSERT OR REPLACE INTO deleted_records (id, account_id, position, created)
  VALUES (OLD.id, OLD.account_id, OLD.position, OLD.created);
END;
CREATE TRIGGER fault_is_deleted AFTER DELETE ON faults
BEGIN
  INSERT OR REPLACE INTO deleted_records (id, account_id, position, created)
  VALUES (OLD.id, OLD.account_id, OLD.position, OLD.created);
END;
CREATE TRIGGER endpoint_is_deleted AFTER DELETE ON endpoints
BEGIN
  INSERT OR REPLACE INTO deleted_records (id, position, created) VALUES (OLD.id, OLD.position, OLD.created);
END;
CREATE TRIGGER event_is_deleted AFTER DELETE ON events
BEGIN
  INSERT OR REPLACE INTO deleted_records (id, account_id, position, created)
  VALUES (OLD.id, OLD.account_id, OLD.position, OLD.created);
END;
CREATE TRIGGER delivery_is_deleted AFTER DELETE ON deliveries
BEGIN
  INSERT OR REPLACE INTO deleted_records (id, account_id, position, created)
  VALUES (OLD.id, OLD.account_id, OLD.position, OLD.created);
END;
