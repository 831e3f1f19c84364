"""The standings of a board: counting scores into them, ranking, reading pages, and rebuilding.

Everything that a board shows is computed here from attempts and scores and can be rebuilt. Ranks
are never stored. Imported by the packages above, from `competition` up to `scoring`, and by the
interfaces.
"""
