"""Which part of a page is the page."""
