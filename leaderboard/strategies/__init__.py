"""Ranking strategies: which attempts of a board are ranked, and by which values. One per file.

A new strategy is one file with a `STRATEGY`; no list has to be edited. Imported by the columns, the
importers, the models and everything above; imports `rules` alone.
"""

from leaderboard.strategies.strategy import (
    Strategy,
    get_strategy,
    known_strategies,
    ranking_of,
)

__all__ = [
    "Strategy",
    "get_strategy",
    "known_strategies",
    "ranking_of",
]
