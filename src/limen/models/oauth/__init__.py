"""Logging in in place of a key: device codes, and tokens that are renewed."""
