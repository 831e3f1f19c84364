"""Adding a kind of thing takes one file: these tests check the table in docs/architecture.md."""
