"""Manual pages in roff, by man(7) and mdoc(7), to a Page."""
