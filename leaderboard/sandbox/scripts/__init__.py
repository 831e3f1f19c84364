"""Prepares metric scripts outside of the sandbox, which has no network: their header and uv."""
