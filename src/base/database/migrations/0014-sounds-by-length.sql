-- Sound that was encoded anew is held against renders of its length.
CREATE INDEX sounds_by_length ON files (seconds) WHERE content_type = 'audio/mpeg';
