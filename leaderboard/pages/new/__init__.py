"""`/new/`: the form with which organisers make a challenge."""
