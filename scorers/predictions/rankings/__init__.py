"""Metrics of predicted rankings of items."""
