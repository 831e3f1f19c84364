"""Metrics of predicted probabilities of labels."""
