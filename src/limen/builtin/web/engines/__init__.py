"""Vendors that search the whole web or read pages; a file each."""
