"""Pages that compare the entries of a board: tasks, pairs, progress, trade-offs, what if."""
