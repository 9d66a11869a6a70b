-- No sound is looked for by its length any more.
DROP INDEX sounds_by_length;
