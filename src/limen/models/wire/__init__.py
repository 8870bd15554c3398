"""One module a protocol: encode, decode, nothing else."""
