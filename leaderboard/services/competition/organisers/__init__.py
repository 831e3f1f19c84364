"""What organisers do: appoint, announce, mark, and what waits for them."""
