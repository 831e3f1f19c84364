"""Pages of arenas: the board that follows from votes, and voting."""
