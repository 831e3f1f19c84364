"""Result files of other tools become attempts: previewed, checked, all of them or none.

The formats themselves are in `leaderboard.importers`, one file each. Imported by `scoring`, whose
sweeper deletes uploads that nobody confirmed, and by the doors.
"""
