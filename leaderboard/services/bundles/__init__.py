"""Competitions of other platforms as drafts; needs `imports`, `challenges` and `files`."""
