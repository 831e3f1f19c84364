"""Pages and choices of the whole site: about, status, theme, language."""
