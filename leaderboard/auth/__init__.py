"""Signing in, and sessions."""
