from leaderboard.rules.ranking.places import RankKey
from leaderboard.rules.texts.messages import message
from leaderboard.strategies.strategy import Strategy

STRATEGY = Strategy(
    key="fastest",
    label=message("Fastest"),
    summary=message("the quickest success wins"),
    keys=(RankKey("elapsed_ms", "asc"),),
    sentence=message("The fastest successful attempt wins."),
    only_succeeded=True,
    place=2,
)
