"""Writing the standings of a board when scores change."""
