"""Models that run in the process."""
