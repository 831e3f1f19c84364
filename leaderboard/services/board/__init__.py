"""Standings of a board: counting scores in, ranking, reading pages, and deriving all of it again.

Whatever a board shows is computed here from attempts and scores and can be rebuilt. Ranks are never
stored. Imported by the rooms above, from `attempts` up to `scoring`, and by the doors.
"""
