"""How a vendor is asked: the link and its limits, the key, the reply, the refusals."""
