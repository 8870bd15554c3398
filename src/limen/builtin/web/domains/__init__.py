"""Searches of one field of knowledge, without a key."""
