"""To add a kind of thing is to add one file: the table in docs/architecture.md, line by line."""
