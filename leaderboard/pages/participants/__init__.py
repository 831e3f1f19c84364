"""Pages of participants, registrations and teams."""
