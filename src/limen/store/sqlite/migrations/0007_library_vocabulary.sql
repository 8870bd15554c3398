-- The words of the library's index as a table. It holds nothing of its own: reading it reads the index.
CREATE VIRTUAL TABLE library_vocabulary USING fts5vocab(library_index, row);
