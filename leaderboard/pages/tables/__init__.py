"""Tables on pages: their columns, rows and cells."""
