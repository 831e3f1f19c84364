"""Rewards, samples and documents, and the values that follow from them."""
