"""Typed configuration with descriptions: the one schema for reader, writer, checker and docs."""
