"""The rows of the admin, one per file, no list to edit: every module here registers its own."""
