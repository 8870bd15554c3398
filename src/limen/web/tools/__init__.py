"""The web's tools as a model sees them."""
