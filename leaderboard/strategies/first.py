from leaderboard.rules.messages import message
from leaderboard.rules.ranking import RankKey
from leaderboard.strategies.strategy import Strategy

STRATEGY = Strategy(
    key="first",
    label=message("First"),
    summary=message("the earliest success wins"),
    keys=(RankKey("submitted_at", "asc"),),
    sentence=message("The earliest successful attempt wins."),
    only_succeeded=True,
    place=1,
)
