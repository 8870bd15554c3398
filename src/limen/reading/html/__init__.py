"""An HTML page: what it says about itself, its main part, and what stands in for it."""
