"""Teams: joining, leaving, merging."""
