"""Parts of single formats, beside their modules."""
