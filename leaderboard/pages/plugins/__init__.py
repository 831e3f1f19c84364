"""The catalogue of plugins, and their pages."""
