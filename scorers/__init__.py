"""Scorer plugins. One file per scorer, no list to edit; README.md starts a new one."""
