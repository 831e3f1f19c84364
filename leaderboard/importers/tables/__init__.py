"""Reading tables that no other program promised to write in any particular way."""
