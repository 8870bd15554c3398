"""The inverse of each wire: what a request's bytes carry, for whoever audits them."""
