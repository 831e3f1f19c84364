"""The shapes of the API: what comes in is checked by them, what goes out is written by them."""
