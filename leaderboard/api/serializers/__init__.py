"""Serializers: they check requests and write answers."""
