"""The turn: one loop, one door in, one stream out."""
