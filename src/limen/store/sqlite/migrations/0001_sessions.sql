CREATE TABLE sessions (
  key TEXT PRIMARY KEY,
  title TEXT NOT NULL DEFAULT '',
  route TEXT NOT NULL DEFAULT '',
  parent TEXT,
  forked_at INTEGER,
  created_at REAL NOT NULL,
  updated_at REAL NOT NULL,
  turns INTEGER NOT NULL DEFAULT 0,
  blocks INTEGER NOT NULL DEFAULT 0,
  next_entry INTEGER NOT NULL DEFAULT 1,
  next_message INTEGER NOT NULL DEFAULT 0,
  next_event INTEGER NOT NULL DEFAULT 1,
  owner TEXT,
  owned_until REAL
) WITHOUT ROWID;
CREATE INDEX sessions_by_change ON sessions (updated_at DESC);

-- One row for each admitted block; `first` and `last` are the ledger numbers of its leaves.
CREATE TABLE blocks (
  id INTEGER PRIMARY KEY,
  session TEXT NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  turn TEXT NOT NULL,
  place TEXT NOT NULL,
  message INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  at REAL NOT NULL,
  body BLOB NOT NULL,
  UNIQUE (session, first)
);
CREATE INDEX blocks_by_turn ON blocks (turn);
CREATE INDEX blocks_of_prompt ON blocks (session, first) WHERE message < 0;

CREATE VIRTUAL TABLE block_words USING fts5 (text, content='', tokenize='unicode61 remove_diacritics 2');

CREATE TABLE events (
  session TEXT NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  turn TEXT NOT NULL,
  kind TEXT NOT NULL,
  at REAL NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (session, seq)
) WITHOUT ROWID;
CREATE INDEX events_by_turn ON events (session, turn, seq);
CREATE INDEX events_by_kind ON events (session, kind, seq);

CREATE TABLE sources (
  session TEXT NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
  n INTEGER NOT NULL,
  url TEXT NOT NULL,
  title TEXT NOT NULL,
  ref TEXT NOT NULL,
  read INTEGER NOT NULL,
  PRIMARY KEY (session, n),
  UNIQUE (session, url)
) WITHOUT ROWID;
