"""The models of the admin, one per file; every module here registers its own."""
