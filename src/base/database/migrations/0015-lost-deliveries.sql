-- The few deliveries that nobody took.
CREATE INDEX deliveries_failed ON deliveries (position) WHERE status = 'failed';
