"""Pages read lately, kept on disk behind every gate."""
