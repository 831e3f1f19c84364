"""The page of a board."""
