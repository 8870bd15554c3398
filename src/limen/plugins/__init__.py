"""Hooks and catalogs."""
