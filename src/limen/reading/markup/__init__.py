"""A part of a page, written: as Markdown, as text, or as HTML that runs nothing."""
