"""Extractors: each module knows the outputs of one family of programs."""
