"""Metrics, which reduce rewards of samples to one number; one file each, no list to edit."""
