"""Reading sites into a library: which addresses they have, which may be read, and how politely."""
