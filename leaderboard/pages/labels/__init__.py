"""Values and settings in words."""
