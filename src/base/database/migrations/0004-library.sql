-- What is searched by words: a render's title and the texts it was made from. Finds any three letters in a row; keeps no text itself.
CREATE VIRTUAL TABLE library_words USING fts5(words, content = '', contentless_delete = 1, tokenize = 'trigram');
INSERT INTO library_words (rowid, words)
  SELECT position, concat_ws(char(10), recipe ->> 'title', recipe ->> 'prompt', recipe ->> 'input',
    recipe ->> 'style', recipe ->> 'lyrics') FROM library;
CREATE INDEX library_by_medium ON library (medium, position);
CREATE INDEX library_by_model ON library (model, position);
CREATE INDEX library_by_time ON library (created);
CREATE INDEX library_of_account_by_time ON library (account_id, created);

-- Jobs whose library entry was deleted by its owner: they succeeded all the same.
CREATE TABLE deleted_entries (job_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

-- JSON of a voice sample as `picture` is of a picture, or null.
ALTER TABLE elements ADD COLUMN voice TEXT;

-- Which library entries show which elements.
CREATE TABLE element_uses (
  element_id TEXT NOT NULL, entry_id TEXT NOT NULL, PRIMARY KEY (element_id, entry_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX element_uses_of_entry ON element_uses (entry_id);
