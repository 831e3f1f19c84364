"""Metrics of predicted masks."""
