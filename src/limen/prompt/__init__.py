"""The prompt's tiers: identity, guidance, and what loads from the workspace."""
