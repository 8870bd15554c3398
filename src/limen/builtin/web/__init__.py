"""One search or extract provider a file."""
