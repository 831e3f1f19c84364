"""Metrics: rewards of samples of tasks become one number. One idea per file, no list to edit."""
