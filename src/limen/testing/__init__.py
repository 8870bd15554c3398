"""Doubles and contract suites, shipped so that plug-in authors run the same ones."""
