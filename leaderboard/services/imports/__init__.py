"""Import result files of other tools: preview, check, and save all attempts or none.

The formats themselves are in `leaderboard.importers`, one file each. The interfaces import this
package, and so does `scoring`, because its sweeper deletes uploads that were never confirmed.
"""
