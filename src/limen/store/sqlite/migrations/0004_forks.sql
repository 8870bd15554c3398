-- A session that is being forgotten goes in slices; from the first on it is no longer there. Who holds a session is kept so that
-- a holder that died frees it at once.
ALTER TABLE sessions ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN owner_host TEXT;
ALTER TABLE sessions ADD COLUMN owner_pid INTEGER;
ALTER TABLE sessions ADD COLUMN owner_started TEXT;
CREATE INDEX sessions_deleted ON sessions (key) WHERE deleted <> 0;

-- The words of a block that a fork inherited stand in the index once, under the number of the block it was copied from.
ALTER TABLE blocks ADD COLUMN words INTEGER;
CREATE INDEX blocks_by_words ON blocks (words) WHERE words IS NOT NULL;

-- A text is stored once, however many sessions hold it. `text` comes last, so that counting does not read through it.
CREATE TABLE evidence_texts (
  id TEXT PRIMARY KEY,
  digest TEXT NOT NULL,
  chars INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  tokens INTEGER,
  packed INTEGER NOT NULL,
  text BLOB NOT NULL
) STRICT;
INSERT INTO evidence_texts
SELECT id, digest, chars, lines, bytes, NULL, packed, text FROM evidence
WHERE rowid IN (SELECT MIN(rowid) FROM evidence GROUP BY id);
CREATE INDEX evidence_texts_by_digest ON evidence_texts (digest);

CREATE TABLE evidence_links (
  session TEXT NOT NULL,
  id TEXT NOT NULL REFERENCES evidence_texts (id),
  tool TEXT NOT NULL,
  source TEXT NOT NULL,
  media_type TEXT NOT NULL,
  created_at REAL NOT NULL,
  PRIMARY KEY (session, id)
) STRICT, WITHOUT ROWID;
INSERT INTO evidence_links SELECT session, id, tool, source, media_type, created_at FROM evidence;
CREATE INDEX evidence_links_by_id ON evidence_links (id, created_at);
CREATE INDEX evidence_links_by_age ON evidence_links (created_at);
DROP TABLE evidence;

-- When something that is due from time to time was last done, in this home, by whichever process.
CREATE TABLE upkeep (
  name TEXT PRIMARY KEY,
  at REAL NOT NULL
) STRICT, WITHOUT ROWID;
