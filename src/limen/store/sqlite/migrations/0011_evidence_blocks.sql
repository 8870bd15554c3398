-- A text lies in blocks of whole lines, so that a line is read without the rest. What was kept before stays whole in its row, with
-- `packed` 0 or 1; a text in blocks has 2 there, and no `text`. Numbers of blocks are never used again: the index of words is made in
-- their order, and `upto` is the last that stands in it.
CREATE TABLE evidence_blocks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  text TEXT NOT NULL REFERENCES evidence_texts (id) DEFERRABLE INITIALLY DEFERRED,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  packed INTEGER NOT NULL,
  whole INTEGER NOT NULL,
  body BLOB NOT NULL
) STRICT;
CREATE INDEX evidence_blocks_by_text ON evidence_blocks (text, first);

-- It keeps which words stand in which block, and no text.
CREATE VIRTUAL TABLE evidence_words USING fts5 (
  text, content='', detail='none', columnsize=0, tokenize='unicode61 remove_diacritics 0'
);
CREATE VIRTUAL TABLE evidence_vocabulary USING fts5vocab (evidence_words, 'row');
CREATE TABLE evidence_indexed (upto INTEGER NOT NULL) STRICT;
INSERT INTO evidence_indexed VALUES (0);
