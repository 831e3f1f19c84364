"""The pages for readers, participants and organisers: they call services and fill templates."""
