-- What failed and is spared until a moment in Unix seconds, whichever process finds out first that it works again.
CREATE TABLE rests (
  subject TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  reason TEXT NOT NULL,
  since REAL NOT NULL,
  until REAL NOT NULL,
  known INTEGER NOT NULL,
  failures INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- How often each of several keys was taken.
CREATE TABLE key_uses (
  subject TEXT PRIMARY KEY,
  uses INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What models were asked for: a row for each local day (`2026-11-30`) and route.
CREATE TABLE spending (
  day TEXT NOT NULL,
  route TEXT NOT NULL,
  requests INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  cached_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost_usd REAL NOT NULL,
  unpriced INTEGER NOT NULL,
  PRIMARY KEY (day, route)
) STRICT, WITHOUT ROWID;
