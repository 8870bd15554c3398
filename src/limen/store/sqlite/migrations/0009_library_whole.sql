-- The words of each text as a whole, its title's first, as they are written: which documents answer is decided by these, where in
-- them by the stemmed words of their sections. It holds no text of its own, so that whoever takes one out tells it its words again.
CREATE VIRTUAL TABLE library_whole USING fts5 (
    words, content = '',
    tokenize = 'unicode61 remove_diacritics 2'
);

INSERT INTO library_whole (rowid, words)
SELECT text_id, max(title) || char(10) || group_concat(words, char(10))
FROM (
    SELECT s.text_id, i.title, i.body || i.listing AS words
    FROM library_sections s JOIN library_index i ON i.rowid = s.id
    WHERE s.text_id IN (SELECT text_id FROM library_documents) ORDER BY s.text_id, s.id
)
GROUP BY text_id;
