"""Search to evidence: pipelines of gates around providers."""
