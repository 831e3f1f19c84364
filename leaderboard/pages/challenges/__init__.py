"""The list of challenges, and the pages that say what a challenge asks for."""
