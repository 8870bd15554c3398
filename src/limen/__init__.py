"""Limen: an agent runtime in which nothing crosses the threshold unseen."""

__version__ = "0.1.0"
