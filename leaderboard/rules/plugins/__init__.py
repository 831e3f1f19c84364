"""Names, settings and results of plugins."""
