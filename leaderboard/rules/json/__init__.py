"""Strict JSON: reading, writing, packing and comparing it."""
