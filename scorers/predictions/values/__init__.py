"""Metrics of predicted numbers."""
