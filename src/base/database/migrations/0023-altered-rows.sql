-- What an extra has made otherwise than the service does: its name is with the row, whichever extra it is.
ALTER TABLE ledger RENAME COLUMN lie TO altered_by;
ALTER TABLE events RENAME COLUMN lie TO altered_by;
-- An object that was said to be deleted, and is served as before.
ALTER TABLE objects ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0;
UPDATE objects SET hidden = 1 WHERE id IN (SELECT ref FROM lied WHERE lie = 'delete.kept');
