"""Whole outputs kept on the shelf, and the tools that read them."""
