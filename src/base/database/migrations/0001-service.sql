-- Times are milliseconds of the emulator's clock unless a name says otherwise. `position` orders what is listed.

CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- The last number given to each kind of id within its owner; ids are derived from it.
CREATE TABLE sequences (
  owner TEXT NOT NULL, kind TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (owner, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE workspaces (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  plan TEXT NOT NULL CHECK (plan IN ('payg', 'hobby', 'creator', 'studio')),
  created INTEGER NOT NULL
) STRICT;

CREATE TABLE accounts (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  created INTEGER NOT NULL
) STRICT;
CREATE INDEX accounts_of_workspace ON accounts (workspace_id, position);

CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  -- SHA-256 of the key in hex; the key itself is kept nowhere.
  hash TEXT NOT NULL UNIQUE,
  created INTEGER NOT NULL,
  revoked INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX keys_of_account ON keys (account_id);

-- An entry is the nth of its account; its id is derived from both. Rows of an account lie together, the newest last,
-- so that a charge touches one page and not an index of scattered ids. The newest carries the balance: it stands nowhere else.
CREATE TABLE ledger (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  n INTEGER NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('grant', 'charge', 'refund', 'top_up')),
  amount INTEGER NOT NULL CHECK ((type = 'charge') = (amount < 0) AND amount <> 0),
  balance INTEGER NOT NULL CHECK (balance >= 0),
  operation TEXT,
  model TEXT,
  job_id TEXT,
  -- The n of the charge that this refund gives back.
  refund_of INTEGER,
  created INTEGER NOT NULL,
  PRIMARY KEY (account_id, n),
  FOREIGN KEY (account_id, refund_of) REFERENCES ledger (account_id, n),
  CHECK ((type = 'refund') = (refund_of IS NOT NULL)),
  CHECK ((type = 'charge') <= (operation IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX ledger_refunds ON ledger (account_id, refund_of) WHERE refund_of IS NOT NULL;
CREATE INDEX ledger_window ON ledger (account_id, created, amount) WHERE type = 'charge';

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
END;

CREATE TABLE jobs (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  workspace_id TEXT NOT NULL,
  medium TEXT NOT NULL CHECK (medium IN ('image', 'video', 'speech', 'music')),
  status TEXT NOT NULL CHECK (status IN ('queued', 'processing', 'succeeded', 'failed')),
  model TEXT NOT NULL,
  -- 1 while an open call waits for it: such a job dies, refunded, with the process.
  awaited INTEGER NOT NULL CHECK (awaited IN (0, 1)),
  take INTEGER,
  seed INTEGER,
  -- JSON: the effective parameters, as the record shows them; what is to be rendered.
  parameters TEXT NOT NULL,
  render TEXT NOT NULL,
  store INTEGER NOT NULL CHECK (store IN (0, 1)),
  credits INTEGER NOT NULL,
  -- The n of the ledger entry that paid for it.
  charge INTEGER NOT NULL,
  -- On which address the caller reached the emulator: the URLs of the result are built on it.
  base_url TEXT NOT NULL,
  -- Not final before this time; a code with which it is to fail.
  ready_at INTEGER,
  doomed TEXT,
  polls INTEGER NOT NULL DEFAULT 0,
  -- JSON: what the work came to, before it is settled; what the record shows once it is.
  outcome TEXT,
  result TEXT,
  created INTEGER NOT NULL,
  started INTEGER,
  completed INTEGER,
  UNIQUE (account_id, charge),
  FOREIGN KEY (account_id, charge) REFERENCES ledger (account_id, n),
  CHECK ((status IN ('succeeded', 'failed')) = (completed IS NOT NULL)),
  CHECK ((completed IS NOT NULL) = (result IS NOT NULL))
) STRICT;
CREATE INDEX jobs_of_account ON jobs (account_id, position);
CREATE INDEX jobs_open ON jobs (position) WHERE completed IS NULL;
CREATE INDEX jobs_awaited ON jobs (position) WHERE completed IS NULL AND awaited = 1;

CREATE TABLE files (
  -- A render's fingerprint or the SHA-256 of what was uploaded.
  name TEXT PRIMARY KEY,
  origin TEXT NOT NULL CHECK (origin IN ('render', 'upload')),
  bytes INTEGER NOT NULL,
  content_type TEXT NOT NULL,
  seconds REAL,
  -- Real time of the last use, by which the oldest renders make room.
  used INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX files_by_use ON files (used) WHERE origin = 'render';

CREATE TABLE objects (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  file TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  content_type TEXT NOT NULL,
  created INTEGER NOT NULL
) STRICT;
CREATE INDEX objects_of_account ON objects (account_id, position);
CREATE INDEX objects_of_file ON objects (file);

CREATE TABLE library (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  medium TEXT NOT NULL,
  model TEXT NOT NULL,
  job_id TEXT NOT NULL UNIQUE,
  object_id TEXT,
  file TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  content_type TEXT NOT NULL,
  seconds REAL,
  seed INTEGER,
  credits INTEGER NOT NULL,
  -- JSON: the effective parameters, and what was rendered from them.
  recipe TEXT NOT NULL,
  render TEXT NOT NULL,
  created INTEGER NOT NULL
) STRICT;
CREATE INDEX library_of_account ON library (account_id, position);
CREATE INDEX library_of_file ON library (file);

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
  UNIQUE (account_id, handle)
) STRICT;

-- Which given pictures a library entry's recipe or an element shows: such files stay.
CREATE TABLE pictures (
  file TEXT NOT NULL, owner TEXT NOT NULL, PRIMARY KEY (file, owner)
) STRICT, WITHOUT ROWID;

CREATE TABLE flows (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  account_id TEXT NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  steps TEXT NOT NULL,
  token TEXT NOT NULL UNIQUE,
  created INTEGER NOT NULL
) STRICT;
CREATE INDEX flows_of_workspace ON flows (workspace_id, position);

CREATE TABLE endpoints (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  url TEXT NOT NULL,
  -- JSON array of event types.
  events TEXT NOT NULL,
  flow_id TEXT,
  secret TEXT NOT NULL,
  last_delivery_at INTEGER,
  last_status INTEGER,
  created INTEGER NOT NULL
) STRICT;
CREATE INDEX endpoints_of_workspace ON endpoints (workspace_id, position);

CREATE TABLE events (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  type TEXT NOT NULL,
  flow_id TEXT,
  job_id TEXT,
  -- The exact text that is signed and sent.
  body TEXT NOT NULL,
  created INTEGER NOT NULL
) STRICT;
CREATE INDEX events_of_workspace ON events (workspace_id, type, position);
CREATE INDEX events_of_account ON events (account_id, position);

CREATE TABLE deliveries (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  event_id TEXT NOT NULL REFERENCES events (id),
  account_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  url TEXT NOT NULL,
  -- due: not tried yet; attempted: on its way, or cut off by a crash; delivered: answered 2xx; failed: anything else.
  status TEXT NOT NULL CHECK (status IN ('due', 'attempted', 'delivered', 'failed')),
  redelivery_of TEXT,
  -- The signature header as sent; the machine's time of the attempt.
  signature TEXT,
  attempted_at INTEGER,
  duration_ms INTEGER,
  response_status INTEGER,
  response_body TEXT,
  error TEXT,
  created INTEGER NOT NULL
) STRICT;
CREATE INDEX deliveries_of_account ON deliveries (account_id, position);
CREATE INDEX deliveries_open ON deliveries (endpoint_id, position)
  WHERE status IN ('due', 'attempted');
