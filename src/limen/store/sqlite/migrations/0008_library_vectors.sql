-- What sections mean, as an embedder's vectors. AUTOINCREMENT: a new vector for a section is another row, so that what was kept
-- in memory of the old one shows its age.
CREATE TABLE library_vectors (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    section_id INTEGER NOT NULL UNIQUE,
    embedder TEXT NOT NULL,
    vector BLOB NOT NULL
) STRICT;

CREATE TRIGGER library_vectors_gone AFTER DELETE ON library_sections
BEGIN
    DELETE FROM library_vectors WHERE section_id = old.id;
END;
