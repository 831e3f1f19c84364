"""Importing result files of other tools: preview, check, and save all attempts or none.

The formats themselves are in `leaderboard.importers`, one file each. `scoring`, whose sweeper
deletes uploads that nobody confirmed, the API, pages, admin and commands import this room.
"""
