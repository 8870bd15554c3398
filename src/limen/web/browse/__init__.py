"""Browsing by reference: what was shown can be opened, searched and followed again under a short handle."""
