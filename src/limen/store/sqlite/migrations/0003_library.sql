-- The private document index. A text is stored once for each library, however many paths lead to it. `body` comes last,
-- so that counting does not read through it.
CREATE TABLE library_texts (
    id INTEGER PRIMARY KEY,
    library TEXT NOT NULL,
    content_key TEXT NOT NULL,
    chars INTEGER NOT NULL,
    sections INTEGER NOT NULL,
    packing INTEGER NOT NULL,
    body BLOB NOT NULL,
    UNIQUE (library, content_key)
) STRICT;

-- AUTOINCREMENT: the number of a removed document is never given to another, so an old reference cannot lie.
CREATE TABLE library_documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    library TEXT NOT NULL,
    origin TEXT NOT NULL,
    root TEXT NOT NULL,
    title TEXT NOT NULL,
    media_type TEXT NOT NULL,
    digest TEXT NOT NULL,
    stamp_ns INTEGER NOT NULL,
    stamp_bytes INTEGER NOT NULL,
    added_at REAL NOT NULL,
    text_id INTEGER NOT NULL REFERENCES library_texts (id),
    UNIQUE (library, origin)
) STRICT;

CREATE INDEX library_documents_by_root ON library_documents (library, root);
CREATE INDEX library_documents_by_text ON library_documents (text_id);

CREATE TABLE library_sections (
    id INTEGER PRIMARY KEY,
    text_id INTEGER NOT NULL REFERENCES library_texts (id),
    heading TEXT NOT NULL,
    anchor TEXT NOT NULL,
    line INTEGER NOT NULL,
    listing INTEGER NOT NULL
) STRICT;

CREATE INDEX library_sections_by_text ON library_sections (text_id);

-- One row for each section, under its number. A section's words stand in `body`, or in `listing` where it is one.
CREATE VIRTUAL TABLE library_index USING fts5 (
    title, heading, body, listing,
    tokenize = 'porter unicode61 remove_diacritics 2'
);

CREATE TABLE library_removed (
    library TEXT NOT NULL,
    origin TEXT NOT NULL,
    PRIMARY KEY (library, origin)
) STRICT, WITHOUT ROWID;
