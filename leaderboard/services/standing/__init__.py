"""Who may stand on a board: rules of admission, verdicts, and reviews."""
