"""Who knows what changes by the hour: the weather, prices, games."""
