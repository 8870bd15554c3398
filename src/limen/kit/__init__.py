"""Generic parts that know nothing of agents: pipelines, streams, text, clocks, files."""
