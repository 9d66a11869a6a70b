-- The few deliveries that tell of their receiver: those that were spoilt, and those that were kept waiting.
CREATE INDEX deliveries_spoilt ON deliveries (position) WHERE fault IS NOT NULL;
CREATE INDEX deliveries_slow ON deliveries (duration_ms) WHERE duration_ms >= 1000;
