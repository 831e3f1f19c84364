"""What comes in and goes out as files: uploads, imports, bundles, folders, boards in formats."""
