-- What a session's handles (`turn0search1`) stand for: the turn, the kind and the number of each name. `links` comes last, since
-- a page may have thousands.
CREATE TABLE refs (
  id INTEGER PRIMARY KEY,
  session TEXT NOT NULL,
  n INTEGER NOT NULL,
  kind TEXT NOT NULL,
  m INTEGER NOT NULL,
  turn TEXT NOT NULL,
  url TEXT NOT NULL,
  opens TEXT NOT NULL,
  title TEXT NOT NULL,
  line INTEGER,
  text_id TEXT NOT NULL,
  at REAL NOT NULL,
  links BLOB NOT NULL,
  UNIQUE (session, n, kind, m)
) STRICT;
CREATE INDEX refs_by_turn ON refs (session, turn, kind);
CREATE INDEX refs_by_name ON refs (n, kind, m);
