"""Documents that are no HTML."""
