"""Votes about pairs of participants, and the board that follows from them."""
