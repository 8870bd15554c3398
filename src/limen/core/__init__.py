"""The types that travel: frozen values, faults and ports. Nothing here does input or output."""
