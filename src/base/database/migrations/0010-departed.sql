-- Where what was deleted stood in its list, so that whoever pages through it can go on after its id: the last 100,000.
CREATE TABLE departed (
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT,
  position INTEGER NOT NULL,
  created INTEGER NOT NULL
) STRICT;
CREATE TRIGGER departed_bound AFTER INSERT ON departed
BEGIN DELETE FROM departed WHERE n <= NEW.n - 100000; END;

CREATE TRIGGER object_departs AFTER DELETE ON objects
BEGIN
  INSERT OR REPLACE INTO departed (id, account_id, position, created)
  VALUES (OLD.id, OLD.account_id, OLD.position, OLD.created);
END;
CREATE TRIGGER entry_departs AFTER DELETE ON library
BEGIN
  INSERT OR REPLACE INTO departed (id, account_id, position, created)
  VALUES (OLD.id, OLD.account_id, OLD.position, OLD.created);
END;
CREATE TRIGGER element_departs AFTER DELETE ON elements
BEGIN
  INSERT OR REPLACE INTO departed (id, account_id, position, created)
  VALUES (OLD.id, OLD.account_id, OLD.position, OLD.created);
END;
CREATE TRIGGER flow_departs AFTER DELETE ON flows
BEGIN
  INSERT OR REPLACE INTO departed (id, account_id, position, created)
  VALUES (OLD.id, OLD.account_id, OLD.position, OLD.created);
END;
CREATE TRIGGER fault_departs AFTER DELETE ON faults
BEGIN
  INSERT OR REPLACE INTO departed (id, account_id, position, created)
  VALUES (OLD.id, OLD.account_id, OLD.position, OLD.created);
END;
CREATE TRIGGER endpoint_departs AFTER DELETE ON endpoints
BEGIN
  INSERT OR REPLACE INTO departed (id, position, created) VALUES (OLD.id, OLD.position, OLD.created);
END;
CREATE TRIGGER event_departs AFTER DELETE ON events
BEGIN
  INSERT OR REPLACE INTO departed (id, account_id, position, created)
  VALUES (OLD.id, OLD.account_id, OLD.position, OLD.created);
END;
CREATE TRIGGER delivery_departs AFTER DELETE ON deliveries
BEGIN
  INSERT OR REPLACE INTO departed (id, account_id, position, created)
  VALUES (OLD.id, OLD.account_id, OLD.position, OLD.created);
END;

-- The newest run whose event of its end is kept no longer: of it and of those before, none needs to be there.
CREATE TABLE untold_runs (position INTEGER NOT NULL) STRICT;
INSERT INTO untold_runs VALUES (0);
CREATE TRIGGER run_event_departs AFTER DELETE ON events WHEN OLD.run_id IS NOT NULL
BEGIN
  UPDATE untold_runs SET position = MAX(position, COALESCE((SELECT position FROM runs WHERE id = OLD.run_id), 0));
END;
