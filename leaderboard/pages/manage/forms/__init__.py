"""The forms of the pages on which organisers change a challenge."""
