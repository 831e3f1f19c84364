from leaderboard.rules.ranking.places import RankKey
from leaderboard.rules.texts.messages import message
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
