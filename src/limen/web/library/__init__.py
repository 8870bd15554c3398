"""The private document index."""
