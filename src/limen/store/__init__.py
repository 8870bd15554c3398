"""What outlives a process: sessions, blocks, ledger, events, evidence and the library's index."""
