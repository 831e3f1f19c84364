"""The command `podium`, a module per subject."""
