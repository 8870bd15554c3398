"""The extra `browser`: pages in Chromium, behind the checking proxy, one isolated profile a session."""
