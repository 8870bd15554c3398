CREATE TABLE evidence (
  session TEXT NOT NULL,
  id TEXT NOT NULL,
  digest TEXT NOT NULL,
  tool TEXT NOT NULL,
  source TEXT NOT NULL,
  media_type TEXT NOT NULL,
  chars INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  packed INTEGER NOT NULL,
  created_at REAL NOT NULL,
  text BLOB NOT NULL,
  PRIMARY KEY (session, id)
);
CREATE INDEX evidence_by_id ON evidence (id);
CREATE INDEX evidence_by_age ON evidence (created_at);
