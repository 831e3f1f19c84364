"""The page on which participants submit, by hand or with a file."""
