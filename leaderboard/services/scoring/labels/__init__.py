"""Labels of people for the rewards of judges: which samples are drawn, and what they change."""
