-- JSON of the faults that the request which started it was struck by.
ALTER TABLE jobs ADD COLUMN faults TEXT;
-- 1 once somebody asked for its end: it settles as soon as its outcome is there.
ALTER TABLE jobs ADD COLUMN released INTEGER NOT NULL DEFAULT 0 CHECK (released IN (0, 1));

-- How this delivery is to be spoilt, or null.
ALTER TABLE deliveries ADD COLUMN fault TEXT;
