"""`/c/{slug}/manage/`: the pages on which organisers run a challenge."""
