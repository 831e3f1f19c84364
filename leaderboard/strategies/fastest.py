from leaderboard.rules.ranking import RankKey
from leaderboard.strategies.strategy import Strategy

STRATEGY = Strategy(
    key="fastest",
    label="Fastest",
    summary="the quickest success wins",
    keys=(RankKey("elapsed_ms", "asc"),),
    sentence="The fastest successful attempt wins.",
    only_succeeded=True,
    place=2,
)
