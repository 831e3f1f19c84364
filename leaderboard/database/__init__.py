"""Connections to the database, and what its errors and limits mean."""
