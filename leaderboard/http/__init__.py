"""Requests and responses: when and how they arrive, and what every answer has."""
