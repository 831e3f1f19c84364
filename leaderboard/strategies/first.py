from leaderboard.rules.ranking import RankKey
from leaderboard.strategies.strategy import Strategy

STRATEGY = Strategy(
    key="first",
    label="First",
    summary="the earliest success wins",
    keys=(RankKey("submitted_at", "asc"),),
    sentence="The earliest successful attempt wins.",
    only_succeeded=True,
    place=1,
)
