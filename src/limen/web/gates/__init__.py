"""One gate a file; their order stands in the pipeline's constant."""
