"""Whether an attempt may stand on the board: verdicts of rules, decisions, and what follows."""
