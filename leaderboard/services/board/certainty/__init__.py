"""How certain the ranks of a board are, and summaries of it."""
