"""One new file of each kind, as somebody who adds one would write it."""

STRATEGY = """
from leaderboard.rules.ranking import RankKey
from leaderboard.strategies import Strategy

STRATEGY = Strategy(
    key="cheapest",
    label="Cheapest",
    summary="the success that cost least wins",
    keys=(RankKey("cost_usd", "asc"), RankKey("elapsed_ms", "asc")),
    sentence="The successful attempt that cost least wins.",
    only_succeeded=True,
)
"""

FILES = {
    "leaderboard/strategies/cheapest.py": STRATEGY,
}
"""By the path in the project."""
