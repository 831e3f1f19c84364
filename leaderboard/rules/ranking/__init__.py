"""Who is ranked where."""
