"""Bytes become Markdown: decode, page type, region, convert, tidy."""
