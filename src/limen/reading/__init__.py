"""Bytes become Markdown: decode, page type, region, convert, tidy. `read` is the whole of it."""

from limen.reading.document import read

__all__ = ["read"]
