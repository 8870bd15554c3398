-- What a library's documents come from, how each of these sources is read, and how its last round went. A round that has not
-- ended goes on where it stopped.
CREATE TABLE library_sources (
    library TEXT NOT NULL,
    root TEXT NOT NULL,
    kind TEXT NOT NULL,
    most_pages INTEGER NOT NULL DEFAULT 0,
    most_depth INTEGER NOT NULL DEFAULT 0,
    round INTEGER NOT NULL DEFAULT 0,
    finished INTEGER NOT NULL DEFAULT 1,
    refreshed_at REAL NOT NULL DEFAULT 0,
    note TEXT NOT NULL DEFAULT '',
    failed INTEGER NOT NULL DEFAULT 0,
    problem TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (library, root)
) STRICT, WITHOUT ROWID;

INSERT INTO library_sources (library, root, kind, refreshed_at)
SELECT library, root, CASE WHEN root GLOB 'http://*' OR root GLOB 'https://*' THEN 'page' ELSE 'path' END, max(added_at)
FROM library_documents GROUP BY library, root;

-- The addresses that a source is known to have. `origin` is the document that came of one, empty where none did.
CREATE TABLE library_pages (
    library TEXT NOT NULL,
    root TEXT NOT NULL,
    url TEXT NOT NULL,
    origin TEXT NOT NULL,
    depth INTEGER NOT NULL,
    round INTEGER NOT NULL,
    listed TEXT NOT NULL,
    etag TEXT NOT NULL,
    last_modified TEXT NOT NULL,
    PRIMARY KEY (library, root, url)
) STRICT, WITHOUT ROWID;

-- Blocks of text that a source's documents repeat, by digest: they are not indexed.
CREATE TABLE library_repeated (
    library TEXT NOT NULL,
    root TEXT NOT NULL,
    block BLOB NOT NULL,
    PRIMARY KEY (library, root, block)
) STRICT, WITHOUT ROWID;
