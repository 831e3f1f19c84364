"""The views of the API for those who take part, and for those who organise."""
