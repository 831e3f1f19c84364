"""Boards and attempts as one reader may see them."""
