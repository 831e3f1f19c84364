"""Metrics of predicted scores of labels."""
